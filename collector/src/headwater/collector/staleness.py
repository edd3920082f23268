"""The stale policy: which runs have not been heard of for too long (docs/semantics.md, rule 16)."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AsyncExitStack
from datetime import timedelta
from typing import Any, Final, NamedTuple

from headwater.collector.background import every, go_on
from headwater.collector.interruption import interruption_event
from headwater.collector.settings import Settings
from headwater.collector.sparse import SparseLog
from headwater.collector.stores.reading import Reader, RunFilter
from headwater.shared import codec, times
from headwater.shared.clock import Clock
from headwater.shared.errors import HeadwaterError
from headwater.shared.event import Name
from headwater.shared.log import Log, Record
from headwater.shared.log.keys import partition_key

PAGE: Final = 500
"""Running runs in one fetch."""
MAX_SCANNED: Final = 100_000
"""Running runs, newest first, that one round looks at."""

MAX_SAID: Final = 1_000
"""Runs that one round of a collector interrupts."""


class StaleRun(NamedTuple):
    run: str
    job: Name
    last_seen: str

    def event(self, after: timedelta) -> dict[str, Any]:
        """See ``interruption_event``."""
        return interruption_event(self.run, self.job, self.last_seen, after)


async def stale_runs(reader: Reader, now: str, after: timedelta, limit: int) -> list[StaleRun]:
    """Running runs whose last event lies ``after`` or longer before ``now`` (canonical), the longest silent first.
    Raises TransientError."""
    since = times.shifted(now, -int(after.total_seconds()))
    found: list[StaleRun] = []
    where = RunFilter(state="RUNNING", before=(since, ""))  # what began later cannot have been silent for so long
    for _ in range(MAX_SCANNED // PAGE):
        page = await reader.list_runs(where, PAGE)
        found += [
            StaleRun(row.run, row.job, row.last_time)
            for row in page
            if row.job is not None and row.last_time is not None and row.last_time <= since
        ]
        if len(page) < PAGE:
            break
        where = where._replace(before=(page[-1].first_time or "", page[-1].run))
    return sorted(found, key=lambda run: (run.last_seen, run.run))[:limit]


class StalePolicy:
    """Judges now and then, in a collector. What it says goes into the log like any event, so it survives a rebuild;
    that several collectors say it changes nothing."""

    def __init__(self, reader: Callable[[], Reader], log: Log, topic: str, *, after: timedelta, clock: Clock) -> None:
        """``reader`` raises TransientError while no store can be read."""
        self._reader, self._log, self._topic = reader, log, topic
        self._after, self._clock = after, clock
        self._lines = SparseLog(clock)

    async def round(self) -> None:
        """As ``judge``. An outage of a store or of the log costs a round and is told."""
        try:
            await self.judge()
        except HeadwaterError as error:
            self._lines.warning("stale_policy_waits", of=self._topic, error=str(error))

    async def judge(self) -> int:
        """How many runs were said to be interrupted. Raises HeadwaterError."""
        runs = await stale_runs(self._reader(), times.now_text(self._clock), self._after, MAX_SAID)
        events = [run.event(self._after) for run in runs]
        if events:
            await self._log.append(self._topic, [Record(codec.dumps(e), partition_key(e)) for e in events])
            self._lines.info("runs_interrupted", of=self._topic, runs=len(events))
        return len(events)


def judge_stale_runs(
    stack: AsyncExitStack, settings: Settings, reader: Callable[[], Reader], log: Log, topic: str, clock: Clock
) -> None:
    """Lets the configured policy judge until the end of ``stack``; nothing where it is off."""
    collector = settings.lineage.collector
    if collector.stale_after_s is not None:
        after = timedelta(seconds=collector.stale_after_s)
        policy = StalePolicy(reader, log, topic, after=after, clock=clock)
        go_on(stack, every(collector.stale_every_s, policy.round), "headwater stale runs")
