"""Marquez's runs, written: made, started and ended. OpenLineage events are the better way."""

from __future__ import annotations

from typing import Annotated, Any
from urllib.parse import quote
from uuid import uuid4

from fastapi import APIRouter, Path, Query, Request

from headwater.collector.facts import Side
from headwater.shared.codec import run_uuid
from headwater.shared.event import Name

from ..answers import Answer, bad_request, not_found
from ..marquez.runs import run as run_shape
from ..marquez.versions import is_uuid
from ..marquez.views import run_views
from ..marquez.writing.entity_events import STATES, creation, state_change
from ..marquez.writing.requests import RunBody, body_schema, read_body
from ..marquez.writing.sending import Writer, refuse_reserved
from ..params import Segment, Time
from ..services import Json, Services

_CREATED: dict[int | str, dict[str, Any]] = {201: {"description": "The run, in state NEW; Location says where."}}


def router(services: Services) -> APIRouter:
    routes = APIRouter(prefix="/api/v1", tags=["Marquez"])
    reader, writer = services.questions.reader, Writer(services)

    async def shape(run: str) -> Json:
        views = await run_views(reader, [run])
        if run not in views:
            raise not_found(f"Run '{run}' not found.")
        return run_shape(views[run])

    async def design(job: Name, side: Side) -> tuple[Name, ...]:
        facts = (await reader.jobs([job])).get(job)
        return facts.design.get(side, ()) if facts else ()

    @routes.post(
        "/namespaces/{namespace}/jobs/{name}/runs",
        status_code=201,
        openapi_extra=body_schema(RunBody),
        responses=_CREATED,
    )
    async def post_run(namespace: Segment, name: Segment, request: Request) -> Answer:
        """Makes a run of a job, which reads what the job was designed to read."""
        refuse_reserved(namespace)
        body, job = await read_body(request, RunBody), Name(namespace, name)
        facts = (await reader.jobs([job])).get(job)
        if facts is None or facts.deleted:
            raise not_found(f"Job '{name}' not found.")
        run = str(uuid4()) if body.id is None else run_uuid(body.id)
        if not is_uuid(run):
            raise bad_request(f"Run id '{body.id}' is no UUID.")
        if run in await reader.run_rows([run]):
            raise bad_request(f"Run '{run}' already exists for '{name}' under namespace '{namespace}'.")
        await writer.send([creation(writer.now(), run, job, body, await design(job, Side.INPUT))])
        place = f"/api/v1/jobs/runs/{quote(run, safe='')}"
        return Answer(await shape(run), 201, {"location": str(request.base_url).rstrip("/") + place})

    @routes.post("/jobs/runs/{run_id}/{transition}")
    async def post_transition(
        run_id: Segment,
        transition: Annotated[str, Path(description=f"One of {', '.join(STATES)}.")],
        at: Annotated[Time, Query(description="When; now if left out.")] = None,
    ) -> Answer:
        """Says that a run started or ended. A run that completes wrote what its job was designed to write."""
        if transition not in STATES:
            raise not_found(f"A run can {', '.join(STATES)}, not '{transition}'.")
        run = run_uuid(run_id)
        row = (await reader.run_rows([run])).get(run)
        if row is None or row.job is None:
            raise not_found(f"Run '{run_id}' not found.")
        kind = STATES[transition]
        outputs = await design(row.job, Side.OUTPUT) if kind == "COMPLETE" else ()
        await writer.send([state_change(at or writer.now(), run, row.job, kind, outputs)])
        return Answer(await shape(run))

    return routes
