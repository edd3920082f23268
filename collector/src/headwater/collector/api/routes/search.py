"""``GET /api/v1/search`` and ``/api/v2beta/search/...``: jobs and datasets by what is in their names."""

from __future__ import annotations

import re
from datetime import date
from typing import Annotated, Literal, TypeAlias

from fastapi import APIRouter, Query

from headwater.collector.stores.reading import MAX_MATCHES, Hit, Reader, Search
from headwater.shared import times

from ..answers import Answer, bad_request
from ..marquez.hits import dataset_hits, job_hits
from ..marquez.runs import shown
from ..nodes import node_id
from ..params import Limit, Offset
from ..services import Json, Services

_DATE = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
_PATTERN = r"^\d{4}-\d{2}-\d{2}$"
_MAX_TEXT = 4_096
_Text: TypeAlias = Annotated[
    str | None, Query(description="What the name must hold, whatever the case.", max_length=_MAX_TEXT)
]
_Day: TypeAlias = Annotated[str | None, Query(description="A day, as 2026-01-31, in UTC.")]


def router(services: Services) -> APIRouter:
    routes = APIRouter(prefix="/api", tags=["Marquez"])
    questions = services.questions

    @routes.get("/v1/search")
    async def get_search(
        q: _Text = None,
        kind: Annotated[str | None, Query(alias="filter", description="JOB or DATASET.")] = None,
        sort: Annotated[str | None, Query(description="NAME (the default) or UPDATE_AT, newest first.")] = None,
        limit: Limit = 10,
        offset: Offset = 0,
        namespace: Annotated[str | None, Query(description="Of this namespace only.")] = None,
        before: _Day = None,
        after: _Day = None,
    ) -> Answer:
        """Jobs and datasets whose name holds `q`, as a plain text without wildcards.

        `after` and `before` narrow it to what was updated from the one day on and before the other began. Of more than
        1,000 matches the first 1,000 found are searched, names that begin with `q` first; `truncated` says so.
        """
        if q is None or not q.strip():
            raise bad_request("query param q must not be blank")
        kinds = _kinds(kind)
        if sort is not None and sort.upper() not in ("NAME", "UPDATE_AT"):
            raise bad_request("query param sort must be one of [NAME, UPDATE_AT]")
        where = Search(
            q,
            kinds,
            namespace,
            since=_day("after", after),
            before=_day("before", before),
            newest_first=(sort or "").upper() == "UPDATE_AT",
        )
        total, hits = await questions.reader.search(where, limit, offset)
        return Answer(
            {"totalCount": total, "results": [_result(hit) for hit in hits], "truncated": total >= MAX_MATCHES}
        )

    @routes.get("/v2beta/search/jobs")
    async def get_jobs_search(q: _Text = None, limit: Limit = 10) -> Answer:
        """Jobs whose name holds `q`, with what their newest run states, and what of it matched."""

        async def ask(reader: Reader) -> Answer:
            _, hits = await reader.search(_named(q, "job"), limit, 0)
            return Answer(await job_hits(reader, [hit.name for hit in hits], q or ""))

        return await questions.whole(ask)

    @routes.get("/v2beta/search/datasets")
    async def get_datasets_search(q: _Text = None, limit: Limit = 10) -> Answer:
        """Datasets whose name holds `q`, with their schema and column lineage, and what of it matched."""

        async def ask(reader: Reader) -> Answer:
            _, hits = await reader.search(_named(q, "dataset"), limit, 0)
            return Answer(await dataset_hits(reader, [hit.name for hit in hits], q or ""))

        return await questions.whole(ask)

    return routes


def _named(q: str | None, kind: Literal["job", "dataset"]) -> Search:
    if q is None or not q.strip():
        raise bad_request("query param q must not be blank")
    return Search(q, (kind,))


def _kinds(text: str | None) -> tuple[Literal["job", "dataset"], ...]:
    match (text or "").upper():
        case "":
            return ("job", "dataset")
        case "JOB":
            return ("job",)
        case "DATASET":
            return ("dataset",)
    raise bad_request("query param filter must be one of [JOB, DATASET]")


def _day(name: str, text: str | None) -> str | None:
    """The canonical time at which the day begins."""
    if text is None:
        return None
    try:
        if _DATE.fullmatch(text):
            return times.parse(f"{date.fromisoformat(text).isoformat()}T00:00:00Z")
    except ValueError:
        pass
    raise bad_request(f'query param {name} must match "{_PATTERN}"')


def _result(hit: Hit) -> Json:
    return {
        "type": hit.kind.upper(),
        "name": hit.name.name,
        "updatedAt": shown(hit.last_time),
        "namespace": hit.name.namespace,
        "nodeId": node_id(hit.kind, hit.name),
    }
