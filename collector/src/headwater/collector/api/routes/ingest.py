"""``POST /api/v1/lineage`` and ``/lineage/batch``: where OpenLineage clients send.

The bodies are read raw: nothing between the socket and the codec parses them.
"""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter, Request

from ..accept import IngestLimits, accept_batch, accept_event
from ..answers import Answer
from ..services import Services

_ERRORS: dict[int | str, dict[str, Any]] = {
    400: {"description": "The body is no JSON, no gzip, or no event (or array of events) at all."},
    413: {"description": "The body, or what it unpacks to, is too large."},
    415: {"description": "Content-Type is not JSON, or Content-Encoding neither gzip nor identity."},
    503: {"description": "The log takes nothing now; Retry-After says when to come back."},
}


def _body(schema: dict[str, Any], description: str) -> dict[str, Any]:
    content = {"application/json": {"schema": schema}}
    return {"requestBody": {"required": True, "description": description, "content": content}}


_EVENT = _body(
    {"type": "object"},
    "A RunEvent, JobEvent or DatasetEvent, see https://openlineage.io/spec/2-0-2/OpenLineage.json. "
    "Content-Encoding gzip is read.",
)
_EVENTS = _body({"type": "array", "items": {"type": "object"}}, "Events as for /api/v1/lineage, in one array.")


def router(services: Services, limits: IngestLimits) -> APIRouter:
    routes = APIRouter(prefix="/api/v1/lineage", tags=["events in"])

    @routes.post(
        "",
        status_code=201,
        openapi_extra=_EVENT,
        responses={
            201: {"description": "Durable; reads wait for it. By `headwater serve`: durable, stored by a collector."},
            202: {"description": "Durable in the log, not stored yet; the body says what is next."},
            422: {"description": "The event is refused; `errors` names each field."},
            **_ERRORS,
        },
    )
    async def post_event(request: Request) -> Answer:
        """Takes one OpenLineage event."""
        return await accept_event(services, limits, request.scope, request.receive)

    @routes.post(
        "/batch",
        openapi_extra=_EVENTS,
        responses={200: {"description": "What became of the events; `failed_events` names those refused."}, **_ERRORS},
    )
    async def post_batch(request: Request) -> Answer:
        """Takes many OpenLineage events in one call; a bad one costs only itself."""
        return await accept_batch(services, limits, request.scope, request.receive)

    return routes
