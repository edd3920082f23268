"""Every event of the corpus is accepted and stored whole; what cannot be read of it is told and costs nothing else."""

from __future__ import annotations

import pytest

from headwater.shared.codec import decode
from tests.support.orders import cut, shuffled
from tests.support.seeds import rng
from tests.support.worlds import ENGINES, projected

from .files import COUNTS, entries, world_of


@pytest.mark.parametrize("file", COUNTS)
def test_the_file_is_the_one_that_is_meant(file: str) -> None:
    assert len(entries(file)) == COUNTS[file]
    assert sum(COUNTS.values()) == 1017


@pytest.mark.parametrize("file", COUNTS)
async def test_every_event_is_stored_whole(file: str) -> None:
    async with world_of(file) as world:
        for entry in entries(file):
            document = await world.questions.event(decode(entry.raw).event_id)
            assert document is not None, entry.origin
            assert document.raw == entry.raw, entry.origin
        distinct = {decode(entry.raw).event_id for entry in entries(file)}
        assert (await world.questions.counts())["events"] == len(distinct)


async def test_the_same_event_twice_is_one_document() -> None:
    """006 and 007 of the client's file are equal on purpose."""
    twice = [entry for entry in entries("captured-openlineage-python-1.54") if entry.origin.endswith(("/006", "/007"))]
    assert len({decode(entry.raw).event_id for entry in twice}) == 1


@pytest.mark.parametrize("file", COUNTS)
async def test_no_order_changes_what_the_corpus_says(file: str) -> None:
    raw, source, found = [entry.raw for entry in entries(file)], rng("corpus", file), set()
    for order in (raw, raw[::-1], shuffled(raw, source)):
        async with ENGINES["sqlite"]() as world:
            await world.take(cut(order, source, 60))
            found.add(await world.questions.fingerprint())
    assert len(found) == 1


@pytest.mark.parametrize(
    ("origin", "where"),
    [
        ("event_invalid_dataset_facet", "/outputs/0/facets/ownership"),
        ("event_invalid_input_dataset_facet", "/inputs/0/inputFacets/dataQualityMetrics"),
        ("event_invalid_job_facet", "/job/facets/ownership"),
        ("event_invalid_output_dataset_facet", "/outputs/0/outputFacets/outputStatistics"),
        ("event_invalid_run_facet", "/run/facets/parent"),
    ],
)
async def test_a_malformed_facet_is_a_problem_of_its_event(origin: str, where: str) -> None:
    async with world_of("openlineage") as world:
        entry = next(entry for entry in entries("openlineage") if entry.origin.endswith(f"/{origin}.json"))
        document = await world.questions.event(decode(entry.raw).event_id)
        assert document is not None
        assert len(document.problems) == 1
        assert document.problems[0][0].startswith(where)
        assert document.problems[0][1]


@pytest.mark.parametrize("file", [file for file in COUNTS if file != "openlineage"])
def test_no_other_event_has_a_problem(file: str) -> None:
    """Marquez' bare date in a facet is its own custom facet and reads well enough."""
    problems = [
        (entry.origin, problem) for entry in entries(file) for problem in projected(entry.raw).projection.problems
    ]
    assert not problems
