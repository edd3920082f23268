"""Marquez's JobVersion."""

from __future__ import annotations

from headwater.collector.derive.state import derive_state
from headwater.collector.stores.reading import Reader, RunFilter
from headwater.shared.event import Name

from ..services import Json
from .facets import text_of
from .runs import job_version, shown
from .runs import run as run_shape
from .views import RunView, run_views

MAX_RUNS = 1_000
"""The newest runs of a job, which its versions are made out from."""


async def versions_of(reader: Reader, job: Name) -> tuple[list[Json], bool]:
    """(versions, newest first; whether there are older runs, which may have had others)."""
    rows = await reader.list_runs(RunFilter(job=job), MAX_RUNS + 1)
    views = await run_views(reader, [row.run for row in rows[:MAX_RUNS]])
    by_version: dict[str, list[RunView]] = {}
    for row in rows[:MAX_RUNS]:
        if row.run in views and (version := job_version(views[row.run])):
            by_version.setdefault(version["version"], []).append(views[row.run])
    found = [_shape(job, version, runs) for version, runs in by_version.items()]
    return found, len(rows) > MAX_RUNS


def _shape(job: Name, version: str, runs: list[RunView]) -> Json:
    """``runs``, newest first, all had this version."""
    newest = runs[0]
    return {
        "id": {**job._asdict(), "version": version},
        "name": job.name,
        "createdAt": shown(min(_ended(run) for run in runs)),
        "version": version,
        "namespace": job.namespace,
        "location": text_of(newest.facts.job_facets, "sourceCodeLocation", "url"),
        "inputs": [name._asdict() for name in sorted({read.pin.dataset for read in newest.reads})],
        "outputs": [name._asdict() for name in sorted({write.claim.dataset for write in newest.writes})],
        "latestRun": run_shape(newest),
    }


def _ended(run: RunView) -> str:
    ended = derive_state(run.facts.states).ended
    assert ended is not None  # else the run would have no version
    return ended
