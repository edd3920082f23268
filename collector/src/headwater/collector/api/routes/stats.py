"""``GET /api/v1/stats/...``: what came and what is there, by the hour of the last day or the day of the last week."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from typing import Annotated, Literal, NamedTuple, TypeAlias
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from fastapi import APIRouter, Query

from headwater.shared import times

from ..answers import Answer, bad_request
from ..marquez.sources import Sources
from ..services import Json, Services

HOURS, DAYS = 24, 7
_TYPES = ("FAIL", "START", "COMPLETE", "ABORT")
_Period: TypeAlias = Annotated[str | None, Query(description="DAY: 24 hours. WEEK: 7 days.")]
_Zone: TypeAlias = Annotated[str | None, Query(description="Of the days of a WEEK, as Europe/Berlin.", max_length=256)]


class _Intervals(NamedTuple):
    """Canonical times, one more than there are intervals."""

    bounds: list[str]

    def rows(self, values: Sequence[Json]) -> list[Json]:
        return [
            {"startInterval": times.display(since), "endInterval": times.display(before), **value}
            for (since, before), value in zip(pairwise(self.bounds), values, strict=True)
        ]


def router(services: Services) -> APIRouter:
    routes = APIRouter(prefix="/api/v1/stats", tags=["Marquez"])
    reader = services.questions.reader

    @routes.get("/lineage-events")
    async def get_event_stats(period: _Period = None, timezone: _Zone = None) -> Answer:
        """RunEvents by type and event time. Nothing is cached: an event counts as soon as it is stored."""
        intervals = _intervals(period, timezone, zone_needed=True)
        counted = await reader.count_by_type(intervals.bounds)
        return Answer(intervals.rows([{word.lower(): found.get(word, 0) for word in _TYPES} for found in counted]))

    async def existing(kind: Literal["job", "dataset"], period: str | None, timezone: str | None) -> Answer:
        intervals = _intervals(period, timezone, zone_needed=False)
        counted = await reader.seen_before(kind, intervals.bounds[1:])
        return Answer(intervals.rows([{"count": count} for count in counted]))

    @routes.get("/jobs")
    async def get_job_stats(period: _Period = None, timezone: _Zone = None) -> Answer:
        """How many jobs had been seen by the end of each interval."""
        return await existing("job", period, timezone)

    @routes.get("/datasets")
    async def get_dataset_stats(period: _Period = None, timezone: _Zone = None) -> Answer:
        """How many datasets had been seen by the end of each interval."""
        return await existing("dataset", period, timezone)

    @routes.get("/sources")
    async def get_source_stats(period: _Period = None, timezone: _Zone = None) -> Answer:
        """How many sources had been seen by the end of each interval."""
        intervals = _intervals(period, timezone, zone_needed=False)
        created = [times.parse(source["createdAt"]) for source in await Sources(reader).all()]
        return Answer(intervals.rows([{"count": sum(each < end for each in created)} for end in intervals.bounds[1:]]))

    return routes


def _intervals(period: str | None, timezone: str | None, *, zone_needed: bool) -> _Intervals:
    if period is None:
        raise bad_request("query param period must not be null")
    match period.upper():
        case "DAY":
            last = datetime.now(UTC).replace(minute=0, second=0, microsecond=0)
            return _Intervals([_canonical(last + timedelta(hours=n)) for n in range(1 - HOURS, 2)])
        case "WEEK":
            if timezone is None and zone_needed:
                raise bad_request("query param timezone must not be null where period is WEEK")
            today = datetime.now(_zone(timezone)).replace(hour=0, minute=0, second=0, microsecond=0)
            return _Intervals([_canonical(today + timedelta(days=n)) for n in range(1 - DAYS, 2)])
    raise bad_request("query param period must be one of [DAY, WEEK]")


def _zone(name: str | None) -> ZoneInfo:
    try:
        return ZoneInfo(name or "UTC")
    except (ZoneInfoNotFoundError, ValueError, OSError) as error:
        raise bad_request(f"query param timezone: no time zone is named {name!r}, as Europe/Berlin is") from error


def _canonical(moment: datetime) -> str:
    return times.parse(moment.astimezone(UTC).isoformat())
