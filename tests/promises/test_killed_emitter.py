"""Promise 1: ``emit()`` returned True, so the event survives a SIGKILL of the application."""

from __future__ import annotations

from pathlib import Path

import pytest

from headwater.collector.embedded import Embedded
from headwater.shared.codec import decode
from tests.support.seeds import FULL, SEED, rng

from .documents import stored_ids
from .events import raw
from .processes import Child

KILLS = 200 if FULL else 20


async def attack(directory: Path, kills: int) -> None:
    source, acknowledged = rng("killed emitters", kills), set()
    env = {
        "HEADWATER_URL": f"file://{directory}/log", "HEADWATER_SPOOL": str(directory / "spool"),
        "HEADWATER_APPLICATION": "mortal",
    }  # fmt: skip
    for kill in range(kills):
        family = f"life{kill}"
        child = Child("tests.promises.emitter", family, "1000000", env=env)
        if source.random() < 0.95:
            child.wait_for_output()  # else it may die while it is still starting
        said = child.kill_after(source.uniform(0.002, 0.06))
        # The last line may be cut: only a whole one tells.
        acknowledged |= {decode(raw(family, int(line))).event_id for line in said.split(b"\n")[:-1]}
    heir = Child("tests.promises.emitter", "heir", "1", "flush", env=env)
    assert heir.output() == b"0\n"
    acknowledged.add(decode(raw("heir", 0)).event_id)

    embedded = Embedded(directory)
    await embedded.start()
    await embedded.drain()
    stored = await stored_ids(embedded.questions)
    await embedded.stop()
    print(f"HEADWATER_SEED={SEED}: {kills} kills, {len(acknowledged)} acknowledged, {len(stored)} stored")
    lost = acknowledged - set(stored)
    assert len(acknowledged) > kills
    assert not lost, f"HEADWATER_SEED={SEED}: {len(lost)} of {len(acknowledged)} acknowledged events are lost"
    assert len(stored) == len(set(stored)), "an event is stored twice"


async def test_no_acknowledged_event_dies_with_the_application(tmp_path: Path) -> None:
    await attack(tmp_path, KILLS)


@pytest.mark.soak
async def test_no_acknowledged_event_dies_in_200_kills(tmp_path: Path) -> None:
    await attack(tmp_path, 200)
