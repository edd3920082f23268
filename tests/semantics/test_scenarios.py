"""Every scenario, on every store, in every order, with duplicates, one by one and in batches.

Every day SQLite has them in every order; PostgreSQL, and MongoDB with Neo4j, each in one that the seed draws; and Neo4j
alone, which the last asks the same questions, some of them. The soak has everything everywhere.

``SEMANTICS_DIR`` points at another directory of scenarios; the default is this one, with its ``more`` folder.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.orders import Delivery, deliveries
from tests.support.seeds import FULL, SEED, rng, some
from tests.support.worlds import ENGINES, SERVERS

from .checks import CHECKS, check
from .scenarios import events, expectations, files


def _title(path: Path) -> str:
    return f"more/{path.stem}" if path.parent.name == "more" else path.stem


NEO4J_ALONE = some(files(), 8, "scenarios on neo4j alone")
CASES = [(path, engine) for path in files() for engine in ENGINES if engine != "neo4j" or path in NEO4J_ALONE]


@pytest.mark.parametrize(("path", "engine"), CASES, ids=lambda each: each if isinstance(each, str) else _title(each))
async def test_scenario(path: Path, engine: str) -> None:
    ways = list(deliveries(events(path), rng("scenario", path.stem)))
    if engine in SERVERS and not FULL:
        ways = [rng("scenario", path.stem, engine).choice(ways)]
    await holds(path, engine, ways)


@pytest.mark.soak
@pytest.mark.parametrize("engine", SERVERS)
@pytest.mark.parametrize("path", files(), ids=_title)
async def test_scenario_in_every_order_on_servers(path: Path, engine: str) -> None:
    await holds(path, engine, list(deliveries(events(path), rng("scenario", path.stem))))


async def holds(path: Path, engine: str, ways: list[Delivery]) -> None:
    """What the scenario expects, whichever way its events come; and one fingerprint."""
    expect, fingerprints = expectations(path), {}
    for delivery in ways:
        async with ENGINES[engine]() as world:
            await world.take(delivery.batches)
            try:
                await check(world.questions, expect)
            except AssertionError as wrong:
                wrong.add_note(f"{path.name} on {engine}, {delivery.how}, HEADWATER_SEED={SEED}")
                raise
            fingerprints[delivery.how] = await world.questions.fingerprint()
    assert len(set(fingerprints.values())) == 1, f"{path.name}, HEADWATER_SEED={SEED}: {fingerprints}"


async def test_an_unknown_expectation_fails() -> None:
    async with next(iter(ENGINES.values()))() as world:
        with pytest.raises(AssertionError, match="does not know the expectations"):
            await check(world.questions, {"weather": {}})


def test_every_expectation_key_of_the_readme_has_a_check() -> None:
    readme = (Path(__file__).parent / "README.md").read_text()
    table = readme.split("## Expectations", 1)[1]
    keys = {
        key.strip("` ") for row in table.splitlines() if row.startswith("| `") for key in row.split("|")[1].split(",")
    }
    assert keys == set(CHECKS)
