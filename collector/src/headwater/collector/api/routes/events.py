"""``GET /api/v1/events/lineage``: the raw events, as they came."""

from __future__ import annotations

from typing import Annotated, Literal

from fastapi import APIRouter, Query

from headwater.collector.stores.reading import EventFilter, Reader
from headwater.shared.codec import run_uuid
from headwater.shared.event import Name

from ..answers import Answer, bad_request
from ..marquez.events import event_body
from ..params import Limit, Offset, Time
from ..services import Services


def router(services: Services) -> APIRouter:
    routes = APIRouter(prefix="/api/v1/events", tags=["Marquez"])
    whole = services.questions.whole

    @routes.get("/lineage")
    async def get_events(
        before: Time = None,
        after: Time = None,
        sort: Annotated[str, Query(alias="sortDirection", description="desc or asc, by event time.")] = "desc",
        limit: Limit = 100,
        offset: Offset = 0,
        run_id: Annotated[
            str | None, Query(alias="runId", description="Events of this run only.", max_length=1024)
        ] = None,
        namespace: Annotated[str | None, Query(description="Events of jobs in this namespace only.")] = None,
        job: Annotated[str | None, Query(description="With namespace: events of this job only.")] = None,
        kind: Annotated[
            Literal["run", "job", "dataset", "all"] | None,
            Query(description="Of the events; run if left out. A DatasetEvent has no job."),
        ] = None,
    ) -> Answer:
        """Events by event time, from `after` (included) to `before` (left out), each as it was sent, but its eventTime
        in UTC. `totalCount` says how many there are; only where nothing but times narrows it, it counts the events of
        all kinds, as Marquez does.
        """
        if sort.lower() not in ("asc", "desc"):
            raise bad_request("query param sortDirection must be one of [DESC, ASC]")
        if job is not None and namespace is None:
            raise bad_request("query param job goes with namespace")
        where = EventFilter(
            run=None if run_id is None else run_uuid(run_id),
            job=None if job is None or namespace is None else Name(namespace, job),
            since=after,
            before=before,
            kind=None if kind == "all" else kind or "run",
            descending=sort.lower() == "desc",
            namespace=namespace if job is None else None,
        )

        async def ask(reader: Reader) -> Answer:
            as_marquez = kind is None and run_id is None and namespace is None
            total = await reader.count_documents(where._replace(kind=None) if as_marquez else where)
            documents = await reader.list_documents(where, limit, offset)
            return Answer({"totalCount": total, "events": [event_body(document.raw) for document in documents]})

        return await whole(ask)

    return routes
