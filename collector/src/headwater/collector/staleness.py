"""The stale policy: which runs have not been heard of for too long (docs/semantics.md, rule 16)."""

from __future__ import annotations

from datetime import timedelta
from typing import Any, Final, NamedTuple

from headwater.collector.interruption import interruption_event
from headwater.collector.stores.reading import Reader, RunFilter
from headwater.shared import times
from headwater.shared.event import Name

PAGE: Final = 500
"""Running runs in one fetch."""
MAX_SCANNED: Final = 100_000
"""Running runs, newest first, that one round looks at."""


class StaleRun(NamedTuple):
    run: str
    job: Name
    last_seen: str

    def event(self, after: timedelta) -> dict[str, Any]:
        """See ``interruption_event``."""
        return interruption_event(self.run, self.job, self.last_seen, after)


async def stale_runs(reader: Reader, now: str, after: timedelta, limit: int) -> list[StaleRun]:
    """Running runs whose last event lies ``after`` or longer before ``now`` (canonical), the longest silent first. Raises
    TransientError."""
    since = times.shifted(now, -int(after.total_seconds()))
    found: list[StaleRun] = []
    where = RunFilter(state="RUNNING", before=(since, ""))  # what began later cannot have been silent for so long
    for _ in range(MAX_SCANNED // PAGE):
        page = await reader.list_runs(where, PAGE)
        for row in page:
            if row.job is not None and row.last_time is not None and row.last_time <= since:
                found.append(StaleRun(row.run, row.job, row.last_time))
        if len(page) < PAGE:
            break
        where = where._replace(before=(page[-1].first_time or "", page[-1].run))
    return sorted(found, key=lambda run: (run.last_seen, run.run))[:limit]
