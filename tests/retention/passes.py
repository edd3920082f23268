"""Retention over a world, as if so many days after its events were stored."""

from __future__ import annotations

import time
from typing import Any

from headwater.collector.retention.passing import Retained, Retention
from headwater.collector.retention.policy import Policy
from headwater.collector.stores.base import LineageStoreProtocol
from headwater.collector.stores.composite import CompositeLineageStore
from headwater.collector.stores.reading import EventFilter
from headwater.shared import times
from headwater.shared.clock import ManualClock
from tests.support.worlds import World

WHOLE = ("sqlite", "postgres", "mongo+neo4j")


def stores_of(world: World) -> list[LineageStoreProtocol]:
    if isinstance(world.store, CompositeLineageStore):
        return [member.store for member in world.store.members.values()]
    return [world.store]


async def retain(world: World, *, dry_run: bool = False, max_runs: int = 1000, **until: str) -> Retained:
    """``runs="2026-01-10"`` takes away runs whose last event is before that day; a day later than now by the clock."""
    clock = ManualClock(time.time() + 86_400)
    ages = {what: clock.now_s() - times.to_epoch_s(times.parse(day)) for what, day in until.items()}
    done = Retained(dry_run=dry_run)
    await Retention(stores_of(world), Policy(**ages, max_runs=max_runs), done, clock=clock).run()
    assert done.complete
    return done


async def documents(world: World) -> dict[str, bytes]:
    """What is stored, by id."""
    found = await world.questions.reader.list_documents(EventFilter(descending=False), 100_000, 0)
    return {each.event_id: each.raw for each in found}


async def run_ids(world: World) -> set[str]:
    return {each["runId"] for each in (await world.questions.runs(limit=1000))["runs"] if each["firstSeen"]}


def plain(evidence: dict[str, Any]) -> dict[str, Any]:
    """Without what helps to understand it: candidates come and go."""
    return {
        key: [plain(each) for each in value] if key == "sources" else value
        for key, value in evidence.items()
        if key != "diagnostics"
    }
