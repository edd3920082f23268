"""Marquez's runs."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query

from headwater.collector.stores.reading import Reader, RunFilter
from headwater.shared.codec import run_uuid
from headwater.shared.event import Name

from ..answers import Answer, bad_request, not_found
from ..marquez.facets import shown_facets
from ..marquez.runs import run as run_shape
from ..marquez.views import EDGES_ONLY, RunView, run_views
from ..nodes import shown_names
from ..params import Limit, Offset, Segment
from ..services import Services


def router(services: Services) -> APIRouter:
    routes = APIRouter(prefix="/api/v1", tags=["Marquez"])
    whole = services.questions.whole

    async def found(run_id: str) -> RunView:
        wanted = run_uuid(run_id)
        views = await whole(lambda reader: run_views(reader, [wanted]))
        if wanted not in views:
            raise not_found(f"Run '{run_id}' not found.")
        return views[wanted]

    @routes.get("/namespaces/{namespace}/jobs/{name}/runs")
    async def get_runs_of_job(namespace: Segment, name: Segment, limit: Limit = 100, offset: Offset = 0) -> Answer:
        """The runs of a job, newest first."""
        job = Name(namespace, name)

        async def ask(reader: Reader) -> Answer:
            if job not in await shown_names(reader, "job", [job]):
                raise not_found(f"Job '{name}' not found.")
            where = RunFilter(job=job)
            rows = (await reader.list_runs(where, offset + limit))[offset:]
            views = await run_views(reader, [row.run for row in rows], described=EDGES_ONLY)
            shapes = [run_shape(views[row.run]) for row in rows if row.run in views]
            return Answer({"runs": shapes, "totalCount": await reader.count_runs(where)})

        return await whole(ask)

    @routes.get("/jobs/runs/{run_id}")
    async def get_run(run_id: Segment) -> Answer:
        """One run."""
        return Answer(run_shape(await found(run_id)))

    @routes.get("/jobs/runs/{run_id}/facets")
    async def get_run_facets(
        run_id: Segment, kind: Annotated[str | None, Query(alias="type", description="run or job.")] = None
    ) -> Answer:
        """The facets that a run's events stated, of the run or of its job."""
        if kind is None:
            raise bad_request("query param type must not be null")
        if kind.lower() not in ("run", "job", "dataset"):
            raise bad_request("query param type must be one of [run, job, dataset]")
        facts = (await found(run_id)).facts
        if kind.lower() == "dataset":
            return Answer(None)  # as Marquez: such facets stand with the run's inputs and outputs
        stated = facts.facets if kind.lower() == "run" else facts.job_facets
        return Answer({"runId": facts.run, "facets": shown_facets(stated)})

    return routes
