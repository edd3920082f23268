"""Marquez's jobs."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query

from headwater.collector.stores.reading import Reader
from headwater.shared.event import Name

from ..answers import Answer, bad_request, not_found
from ..marquez.jobs import job as job_shape
from ..marquez.namespaces import Namespaces
from ..marquez.views import job_views
from ..params import Limit, Offset, Segment
from ..services import Services

LATEST_RUNS = 10
MAX_JOBS = 1_000
"""In one page: each brings its latest runs along."""
_STATES = ("NEW", "RUNNING", "COMPLETED", "ABORTED", "FAILED", "OTHER")
_SCANNED_AT_ONCE = 500
_States = Annotated[
    list[str] | None,
    Query(alias="lastRunStates", description=f"Jobs whose latest run is in one of {', '.join(_STATES)}."),
]


def router(services: Services) -> APIRouter:
    routes = APIRouter(prefix="/api/v1", tags=["Marquez"])
    whole = services.questions.whole

    async def in_states(
        reader: Reader, namespace: str | None, states: set[str], limit: int, offset: int
    ) -> tuple[int, list[Name]]:
        """As `list_jobs`, of jobs whose latest run is in one of the states; the total counts all, as Marquez's does."""
        found: list[Name] = []
        total, scanned = 1, 0
        while scanned < total and len(found) < offset + limit:
            total, names = await reader.list_jobs(namespace, _SCANNED_AT_ONCE, scanned)
            latest = await reader.latest_runs(names, 1)
            found += [name for name in names if states & {row.state for row in latest.get(name, ())}]
            scanned += _SCANNED_AT_ONCE
        return total, found[offset : offset + limit]

    async def page(reader: Reader, namespace: str | None, limit: int, offset: int, states: list[str] | None) -> Answer:
        limit = min(limit, MAX_JOBS)
        wanted = {state.upper() for state in states or ()}
        if not wanted <= set(_STATES):
            raise bad_request(f"query param lastRunStates must be one of [{', '.join(_STATES)}]")
        if wanted:
            total, names = await in_states(reader, namespace, wanted, limit, offset)
        else:
            total, names = await reader.list_jobs(namespace, limit, offset)
        views = await job_views(reader, names, runs=LATEST_RUNS)
        return Answer({"totalCount": total, "jobs": [job_shape(views[name]) for name in names if name in views]})

    @routes.get("/jobs")
    async def get_jobs(limit: Limit = 100, offset: Offset = 0, states: _States = None) -> Answer:
        """All jobs, the latest changed first."""
        return await whole(lambda reader: page(reader, None, limit, offset, states))

    @routes.get("/namespaces/{namespace}/jobs")
    async def get_jobs_of_namespace(
        namespace: Segment, limit: Limit = 100, offset: Offset = 0, states: _States = None
    ) -> Answer:
        """The jobs of a namespace, the latest changed first. An unknown namespace has none."""

        async def ask(reader: Reader) -> Answer:
            known = await Namespaces(reader).real_name(namespace)
            return await page(reader, known or namespace, limit, offset, states)

        return await whole(ask)

    @routes.get("/namespaces/{namespace}/jobs/{name}")
    async def get_job(namespace: Segment, name: Segment) -> Answer:
        """A job with what it reads and writes now and its ten latest runs."""
        job = Name(namespace, name)
        views = await whole(lambda reader: job_views(reader, [job], runs=LATEST_RUNS))
        if job not in views:
            raise not_found(f"Job '{name}' not found.")
        return Answer(job_shape(views[job]))

    return routes
