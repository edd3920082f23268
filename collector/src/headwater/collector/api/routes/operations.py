"""For operators: health, readiness, metrics and the dead letters."""

from __future__ import annotations

from typing import Annotated, Literal

from fastapi import APIRouter, Query, Response
from prometheus_client import CONTENT_TYPE_LATEST, generate_latest
from starlette.responses import PlainTextResponse

from headwater.collector.deadletters import Filters

from ..answers import DEFAULT_RETRY_AFTER_S, SECURITY_HEADERS, Answer
from ..services import Operations

MAX_LETTERS = 100
"""In one answer: a letter holds its event whole."""


def router(services: Operations) -> APIRouter:
    routes = APIRouter(tags=["operations"])

    @routes.get("/healthz")
    async def get_health() -> Answer:
        """200 while the process answers."""
        return Answer({"status": "ok"})

    @routes.get("/readyz", responses={503: {"description": "Paused, or a store is down; `checks` says which."}})
    async def get_readiness() -> Answer:
        """200 while events are taken and stored."""
        readiness = await services.readiness()
        body = {"status": "ready" if readiness.ready else "not ready", "checks": readiness.checks}
        if readiness.ready:
            return Answer(body)
        return Answer(body, 503, {"retry-after": str(DEFAULT_RETRY_AFTER_S)})

    @routes.get("/ping", response_class=PlainTextResponse)
    async def get_ping() -> Response:
        """As `/healthz`; what probes made for Marquez ask."""
        return PlainTextResponse("pong\n", headers=SECURITY_HEADERS)

    @routes.get("/healthcheck", responses={503: {"description": "As `/readyz`."}})
    async def get_healthcheck() -> Answer:
        """As `/readyz`, in the shape of Marquez's health checks: each check is `healthy` or has a `message`."""
        readiness = await services.readiness()
        body = {
            name: {"healthy": said == "ok", "message": None if said == "ok" else said}
            for name, said in readiness.checks.items()
        }
        return Answer(body, 200 if readiness.ready else 503)

    @routes.get("/v2beta/metrics", response_class=Response)
    @routes.get("/metrics", response_class=Response)
    async def get_metrics() -> Response:
        """Prometheus text."""
        return Response(generate_latest(services.registry), media_type=CONTENT_TYPE_LATEST, headers=SECURITY_HEADERS)

    @routes.get("/api/deadletters")
    async def get_dead_letters(
        state: Annotated[
            Literal["open", "replayed", "purged", "all"], Query(description="What became of it.")
        ] = "open",
        reason: Annotated[str | None, Query(description="Only those given up for this reason.")] = None,
        limit: Annotated[int, Query(ge=1, le=MAX_LETTERS, description="Letters at most.")] = MAX_LETTERS,
        after: Annotated[int, Query(ge=-1, description="Goes on behind this id.")] = -1,
    ) -> Answer:
        """Events that no store takes, oldest first, with the reason. `headwater dlq` replays and purges them."""
        filters = Filters(reason=reason, state=None if state == "all" else state)
        found = await services.dead_letters.list(filters, limit=limit, after=after)
        letters = [letter.as_dict() for letter in found.letters]
        return Answer(
            {
                "letters": letters,
                "truncated": found.truncated,
                "truncatedBy": "limit" if found.truncated else None,
                "next": letters[-1]["id"] if found.truncated else None,
            }
        )

    return routes
