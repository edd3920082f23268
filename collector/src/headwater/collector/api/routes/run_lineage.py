"""``GET /api/v1/runlineage/upstream`` and ``/downstream``: which runs fed a run, and which it fed."""

from __future__ import annotations

from typing import Annotated, TypeAlias

from fastapi import APIRouter, Query

from headwater.collector.questions.lookup import Lookup
from headwater.collector.questions.run_lineage import RunWalk, downstream_runs, upstream_runs
from headwater.shared.codec import run_uuid

from ..answers import Answer, bad_request, not_found
from ..marquez.run_lineage import run_lineage_shape
from ..params import MarquezDepth
from ..services import Services

MAX_RUNS = 10_000
_RunId: TypeAlias = Annotated[str | None, Query(alias="runId", description="Where the walk starts.", max_length=1024)]
_Limit: TypeAlias = Annotated[int, Query(ge=1, le=MAX_RUNS, description="Runs at most; the nearest stay.")]


def router(services: Services) -> APIRouter:
    routes = APIRouter(prefix="/api/v1/runlineage", tags=["Marquez"])
    reader = services.questions.reader

    def found(run_id: str | None, walk: RunWalk) -> RunWalk:
        if not walk.steps:
            raise not_found(f"Run '{run_id}' not found.")
        return walk

    @routes.get("/upstream")
    async def get_upstream_runs(run_id: _RunId = None, depth: MarquezDepth = 20, limit: _Limit = MAX_RUNS) -> Answer:
        """The run (depth 0), the runs that wrote what it read, and so on, nearest first. An input that no run wrote has
        `producedByRunId` null; one that several runs committed too, and `conflict` names them."""
        walk = await upstream_runs(Lookup(reader), _wanted(run_id), depth=depth, limit=limit)
        return Answer(await run_lineage_shape(reader, found(run_id, walk), upstream=True))

    @routes.get("/downstream")
    async def get_downstream_runs(run_id: _RunId = None, depth: MarquezDepth = 20, limit: _Limit = MAX_RUNS) -> Answer:
        """The run, the runs that read what it wrote, and so on, nearest first."""
        walk = await downstream_runs(Lookup(reader), _wanted(run_id), depth=depth, limit=limit)
        return Answer(await run_lineage_shape(reader, found(run_id, walk), upstream=False))

    return routes


def _wanted(run_id: str | None) -> str:
    if not run_id:
        raise bad_request("query param runId must not be null")
    return run_uuid(run_id)
