"""Promises 2 and 3: a collector may be killed at any moment; what the log holds is stored once, and the graph is that
of a collector that was left in peace."""

from __future__ import annotations

from pathlib import Path

import pytest

from headwater.collector.embedded import Embedded
from headwater.shared.codec import decode
from headwater.shared.log import Record
from headwater.shared.log.local import LocalLog
from headwater.shared.names import DEFAULT_TOPIC
from tests.support.seeds import FULL, SEED, rng

from .documents import stored_ids
from .events import raw
from .processes import Child

KILLS = 200 if FULL else 5
PER_KILL = 150


async def append(directory: Path, events: list[bytes]) -> None:
    log = LocalLog(directory / "log")
    await log.open()
    await log.append(DEFAULT_TOPIC, [Record(event) for event in events])
    await log.close()


async def attack(directory: Path, kills: int) -> None:
    source = rng("killed collectors", kills)
    everything = [raw("known", number) for number in range(kills * PER_KILL)]
    source.shuffle(everything)
    disturbed, calm = directory / "disturbed", directory / "calm"
    for kill in range(kills):
        await append(disturbed, everything[kill * PER_KILL : (kill + 1) * PER_KILL])
        child = Child("tests.promises.collecting", str(disturbed))
        if source.random() < 0.9:
            child.wait_for_output()
        child.kill_after(source.uniform(0.0, 0.06))
    await append(calm, everything)
    fingerprints = []
    for place in (disturbed, calm):
        embedded = Embedded(place)
        await embedded.start()
        await embedded.drain()
        stored = await stored_ids(embedded.questions)
        fingerprints.append(await embedded.questions.fingerprint())
        await embedded.stop()
        assert sorted(stored) == sorted(decode(event).event_id for event in everything), f"HEADWATER_SEED={SEED}"
        print(f"HEADWATER_SEED={SEED}: {place.name}, {kills} kills, {len(everything)} known, {len(stored)} stored")
    assert fingerprints[0] == fingerprints[1], f"HEADWATER_SEED={SEED}"


async def test_a_killed_collector_loses_and_doubles_nothing(tmp_path: Path) -> None:
    await attack(tmp_path, KILLS)


@pytest.mark.soak
async def test_200_killed_collectors_lose_and_double_nothing(tmp_path: Path) -> None:
    await attack(tmp_path, 200)
