"""Random histories through the store equal the model, and no order or duplication changes the fingerprint."""

from __future__ import annotations

import asyncio
import json
import random
from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from headwater.collector.testing.reference.histories import Event, Historian
from headwater.collector.testing.reference.model import Model
from headwater.collector.testing.reference.pictures import asked, differences, drawn
from headwater.shared.codec import decode
from tests.support.orders import cut, shuffled, with_duplicates
from tests.support.seeds import FULL, SEED, rng
from tests.support.worlds import ENGINES, LOCAL, SERVERS, Engine


def raw_events(events: Sequence[Event]) -> list[bytes]:
    return [json.dumps(event).encode() for event in events]


def model_of(raw: Sequence[bytes]) -> Model:
    """Only the event id, which breaks ties, comes from the product."""
    return Model([(decode(one).event_id, json.loads(one)) for one in raw])


async def hold(raw: list[bytes], mixer: random.Random, engine: Engine) -> None:
    """Sends the set in a random order with duplicates and batches, and compares every answer with the model's."""
    wanted = drawn(model_of(raw), {json.loads(mixer.choice(raw))["eventTime"]})
    mixed = with_duplicates(shuffled(raw, mixer), mixer, 0.3)
    async with engine() as world:
        await world.take(cut(mixed, mixer, 8))
        wrong = differences(wanted, await asked(world.questions, wanted))
        if wrong:
            story = "\n".join(one.decode() for one in sorted(raw, key=lambda one: json.loads(one)["eventTime"]))
            pytest.fail(f"HEADWATER_SEED={SEED}: {len(wrong)} answers differ\n" + "\n".join(wrong[:12]) + f"\n{story}")


@pytest.mark.parametrize("engine", LOCAL)
@given(rng=st.randoms(use_true_random=False), mixing=st.integers(0, 2**32))
@settings(max_examples=60)
def test_small_histories_equal_the_model(engine: str, rng: random.Random, mixing: int) -> None:
    events = Historian(rng, runs=3, jobs=2).history()
    asyncio.run(hold(raw_events(events), random.Random(mixing), ENGINES[engine]))


EACH = {engine: 4 if engine in SERVERS and not FULL else 25 for engine in ENGINES}
"""Histories of every day. The soak has many more, on servers too."""
if not FULL:
    EACH["neo4j"] = 1  # beside MongoDB it is asked the same


@pytest.mark.parametrize(("engine", "number"), [(engine, n) for engine, each in EACH.items() for n in range(each)])
async def test_histories_equal_the_model(engine: str, number: int) -> None:
    source = rng("history", number)
    await hold(raw_events(Historian(source, runs=8).history()), source, ENGINES[engine])


@pytest.mark.soak
@pytest.mark.parametrize("engine", ENGINES)
async def test_many_histories_equal_the_model(engine: str) -> None:
    for number in range(100 if engine in SERVERS else 2000):
        source = rng("long history", number)
        await hold(raw_events(Historian(source, runs=source.choice([2, 4, 8, 16])).history()), source, ENGINES[engine])


async def fingerprints(raw: list[bytes], mixer: random.Random, engine: Engine, orders: int) -> set[Any]:
    found = set()
    for _ in range(orders):
        async with engine() as world:
            await world.take(cut(with_duplicates(shuffled(raw, mixer), mixer), mixer, 8))
            found.add(await world.questions.fingerprint())
    return found


@pytest.mark.parametrize("engine", LOCAL)
@given(rng=st.randoms(use_true_random=False), mixing=st.integers(0, 2**32))
@settings(max_examples=20)
def test_one_set_of_events_has_one_fingerprint(engine: str, rng: random.Random, mixing: int) -> None:
    raw = raw_events(Historian(rng, runs=4, jobs=2).history())
    assert len(asyncio.run(fingerprints(raw, random.Random(mixing), ENGINES[engine], 3))) == 1


@pytest.mark.parametrize("engine", ENGINES)
async def test_another_set_of_events_has_another_fingerprint(engine: str) -> None:
    source = rng("fingerprints differ")
    raw = list(dict.fromkeys(raw_events(Historian(source, runs=6).history())))
    whole = await fingerprints(raw, source, ENGINES[engine], 1)
    for left_out in range(len(raw)):
        event = json.loads(raw[left_out])
        if event.get("eventType") in ("START", "COMPLETE", "FAIL") and not _repeated(event, raw):
            assert whole != await fingerprints(raw[:left_out] + raw[left_out + 1 :], source, ENGINES[engine], 1)
            break
    else:  # pragma: no cover
        pytest.fail("the history has no state event to leave out")


def _repeated(event: Event, raw: Sequence[bytes]) -> bool:
    """Another event says the same state of the same run at the same time."""
    others = [json.loads(one) for one in raw]
    key = (event["eventTime"], event["eventType"], event["run"]["runId"])
    return [(o["eventTime"], o.get("eventType"), o.get("run", {}).get("runId")) for o in others].count(key) > 1
