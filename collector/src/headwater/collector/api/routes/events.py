"""``GET /api/v1/events/lineage``: the raw events, as they came."""

from __future__ import annotations

from typing import Annotated

import orjson
from fastapi import APIRouter, Query

from headwater.collector.stores.reading import EventFilter
from headwater.shared.codec import run_uuid

from ..answers import Answer, bad_request
from ..params import Limit, Offset, Time
from ..services import Services

_BOM = b"\xef\xbb\xbf"


def router(services: Services) -> APIRouter:
    routes = APIRouter(prefix="/api/v1/events", tags=["Marquez"])

    @routes.get("/lineage")
    async def get_events(
        before: Time = None,
        after: Time = None,
        sort: Annotated[str, Query(alias="sortDirection", description="desc or asc, by event time.")] = "desc",
        limit: Limit = 100,
        offset: Offset = 0,
        run_id: Annotated[str | None, Query(alias="runId", description="Events of this run only.")] = None,
    ) -> Answer:
        """Events by event time, from `after` (included) to `before` (left out), each as it was sent."""
        if sort.lower() not in ("asc", "desc"):
            raise bad_request("query param sortDirection must be one of [DESC, ASC]")
        where = EventFilter(
            run=None if run_id is None else run_uuid(run_id),
            since=after,
            before=before,
            descending=sort.lower() == "desc",
        )
        total, documents = await services.questions.events(where, limit=limit, offset=offset)
        bodies = [orjson.Fragment(document.raw.removeprefix(_BOM)) for document in documents]
        return Answer({"totalCount": total, "events": bodies})

    return routes
