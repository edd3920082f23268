"""Requests made up from the OpenAPI document, sound and unsound ones: no 5xx, and no status that it does not name."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator

import hypothesis
import pytest
import schemathesis
from schemathesis.checks import not_a_server_error
from schemathesis.generation import GenerationMode
from schemathesis.specs.openapi.checks import content_type_conformance, status_code_conformance

from tests.marquez.events import dataset, event, facet
from tests.marquez.serving import listening
from tests.support.seeds import FULL, IN_CI
from tests.support.worlds import LOCAL

EXAMPLES = 100 if FULL else 4
"""Of each operation, sound and unsound each. The soak has 100."""
PATIENCE = 100
"""Requests that cannot be made, before an operation is taken to have none. Hypothesis would try 500, which was most of
what this test took."""
CHECKS = [not_a_server_error, status_code_conformance, content_type_conformance]


@pytest.mark.filterwarnings("ignore")  # of the libraries that make the requests up
async def test_no_5xx_and_no_undocumented_status():
    await no_faults(EXAMPLES)


@pytest.mark.soak
@pytest.mark.filterwarnings("ignore")
async def test_no_5xx_and_no_undocumented_status_of_many_requests():
    await no_faults(100)


async def no_faults(examples: int) -> None:
    told = [
        event("START", 1, "j", ["a"]),
        event("COMPLETE", 1, "j", ["a"], [dataset("b", documentation=facet(description="d"))], minute=1),
    ]
    async with LOCAL["sqlite"]() as world, listening(world) as address:
        await world.take([[json.dumps(each).encode() for each in told]])
        faults = await asyncio.to_thread(lambda: list(_faults(address, examples)))
    assert not faults, "\n\n".join(faults)


def _faults(address: str, examples: int) -> Iterator[str]:
    schema = schemathesis.openapi.from_url(f"{address}/api/openapi.json")
    tried = 0
    for found in schema.get_all_operations():
        operation = found.ok()
        for mode in GenerationMode:
            tried += 1
            try:
                _try(operation, mode, examples)
            except (hypothesis.errors.Unsatisfiable, NothingToTry):
                assert mode is GenerationMode.NEGATIVE, "every operation has sound requests"
            except (Exception, BaseExceptionGroup) as error:  # every operation is tried, whatever another one shows
                yield f"{operation.method.upper()} {operation.path} ({mode.value}): {error}"
    assert tried > 60


class NothingToTry(BaseException):
    """Of what cannot be unsound, such as a path of any text. (Hypothesis takes any Exception for the test's.)"""


def _try(operation: schemathesis.schemas.APIOperation, mode: GenerationMode, examples: int) -> None:
    requests, made, rejected = operation.as_strategy(generation_mode=mode), 0, 0

    @hypothesis.strategies.composite
    def cases(draw: hypothesis.strategies.DrawFn) -> schemathesis.Case:
        nonlocal made, rejected
        try:
            case: schemathesis.Case = draw(requests)
        except (hypothesis.errors.UnsatisfiedAssumption, hypothesis.errors.StopTest):
            rejected += 1
            if not made and rejected >= PATIENCE:
                raise NothingToTry from None
            raise
        made += 1
        return case

    @hypothesis.given(case=cases())
    @hypothesis.settings(
        max_examples=examples,
        derandomize=IN_CI,
        database=None,
        deadline=None,
        suppress_health_check=list(hypothesis.HealthCheck),
        phases=[hypothesis.Phase.explicit, hypothesis.Phase.generate],
    )
    def check(case: schemathesis.Case) -> None:
        case.call_and_validate(checks=CHECKS)

    try:
        check()
    except BaseException:
        if not made and rejected >= PATIENCE:  # Hypothesis may put an error of its own in the place of ours
            raise NothingToTry from None
        raise
