"""Taking events from a request: read, judged by the codec, appended to the log, waited for until they can be read."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Sequence
from typing import NamedTuple

from starlette.types import Receive, Scope

from headwater.collector.pipeline.outcome import Outcome, Settlement
from headwater.shared import codec
from headwater.shared.errors import InvalidEventError, InvalidFieldError, PermanentError, TransientError
from headwater.shared.event import LineageEvent
from headwater.shared.limits import DEFAULT_LIMITS, Limits

from . import bodies, split
from .answers import Answer, Refusal, invalid_event, unavailable
from .faults import all_faults
from .services import Json, Services
from .wholeness import check_whole, names_no_job

_INLINE_BYTES = 128 * 1024
"""Up to this many bytes are decoded on the event loop; more would hold up other requests, so a thread does it."""
_INLINE_GZIP_BYTES = 4 * 1024

_CREATED = Answer(None, 201)
_NOTES = {
    Outcome.RETRY: "durable; a store cannot take it now, it is tried again and can be read once that worked",
    Outcome.DEAD_LETTER: "kept, byte for byte, in the dead letters: a store refused it (see /api/deadletters)",
    Outcome.PENDING: "durable in the log; it can be read once it is stored",
}
"""What 202 tells. 201 is kept for events that can be read back at once, and for those of which no more can be known
here than that the log has them durably."""


class IngestLimits(NamedTuple):
    """What one request may bring. Event limits are the codec's."""

    event: Limits = DEFAULT_LIMITS
    max_batch_bytes: int = 64 * 1024 * 1024
    max_batch_events: int = 50_000


async def accept_event(services: Services, limits: IngestLimits, scope: Scope, receive: Receive) -> Answer:
    """Answers ``POST /api/v1/lineage``."""
    try:
        max_bytes = limits.event.max_event_bytes
        gzipped = bodies.check_headers(scope["headers"], max_bytes)
        body = await bodies.read(receive, max_bytes)
        if len(body) <= (_INLINE_GZIP_BYTES if gzipped else _INLINE_BYTES):
            event = _checked(body, gzipped, limits.event)
        else:
            event = await asyncio.to_thread(_checked, body, gzipped, limits.event)
        settlement = (await _taken(services.accept([event])))[0]
    except Refusal as refusal:
        return refusal.answer()
    if settlement.outcome in (Outcome.STORED, Outcome.LOGGED):
        return _CREATED
    if settlement.outcome is Outcome.REFUSED:
        return Refusal(413, settlement.error, errors=[settlement.error]).answer()
    return Answer({"status": settlement.outcome, "message": _NOTES[settlement.outcome], **_why(settlement)}, 202)


async def accept_batch(services: Services, limits: IngestLimits, scope: Scope, receive: Receive) -> Answer:
    """Answers ``POST /api/v1/lineage/batch``."""
    try:
        gzipped = bodies.check_headers(scope["headers"], limits.max_batch_bytes)
        body = await bodies.read(receive, limits.max_batch_bytes)
        if len(body) <= (_INLINE_GZIP_BYTES if gzipped else _INLINE_BYTES):
            sorted_out = _sorted_out(body, gzipped, limits)
        else:
            sorted_out = await asyncio.to_thread(_sorted_out, body, gzipped, limits)
        settlements = await _taken(services.ingest(sorted_out.good)) if sorted_out.good else []
    except Refusal as refusal:
        return refusal.answer()
    return Answer(_summary(sorted_out, settlements))


class _SortedOut(NamedTuple):
    good: list[LineageEvent]
    places: list[int]
    """Of the good ones, in the request."""
    failed: list[Json]


def _checked(body: bytes, gzipped: bool, limits: Limits) -> LineageEvent:
    raw = bodies.gunzip(body, limits.max_event_bytes) if gzipped else body
    if not raw:
        raise Refusal(422, "The request body must not be null", errors=["The request body must not be null"])
    try:
        event = codec.decode(raw, limits)
        check_whole(event)
        return event
    except InvalidEventError as error:
        if names_no_job(raw, error, limits):
            raise Refusal(400, str(error), errors=all_faults(raw, error, limits)) from error
        first = raw[:64].lstrip()[:1]
        if first == b"[":
            raise Refusal(400, "the body is an array; events in an array go to /api/v1/lineage/batch") from error
        if first != b"{" and isinstance(error, InvalidFieldError):
            raise Refusal(400, str(error), errors=[str(error)]) from error
        raise invalid_event(error, all_faults(raw, error, limits)) from error


def _sorted_out(body: bytes, gzipped: bool, limits: IngestLimits) -> _SortedOut:
    raw = bodies.gunzip(body, limits.max_batch_bytes) if gzipped else body
    good: list[LineageEvent] = []
    places: list[int] = []
    failed: list[Json] = []
    for index, element in enumerate(split.elements(raw, limits.max_batch_events)):
        try:
            good.append(codec.decode(element, limits.event))
        except InvalidEventError as error:
            failed.append(_failure(index, str(error)))
        else:
            places.append(index)
    return _SortedOut(good, places, failed)


def _failure(index: int, reason: str) -> Json:
    return {"index": index, "reason": reason, "retriable": False}


async def _taken(taking: Awaitable[Sequence[Settlement]]) -> list[Settlement]:
    try:
        return list(await taking)
    except TransientError as error:
        raise unavailable(error) from error
    except PermanentError as error:
        raise Refusal(422, str(error), errors=[str(error)]) from error


def _summary(sorted_out: _SortedOut, settlements: list[Settlement]) -> Json:
    """The OpenLineage form (OpenLineage.yml), with ``pending`` added: accepted and durable, not yet stored."""
    refused = [
        _failure(place, each.error)
        for place, each in zip(sorted_out.places, settlements, strict=True)
        if each.outcome is Outcome.REFUSED
    ]
    failed = sorted(sorted_out.failed + refused, key=lambda failure: failure["index"])
    good = len(sorted_out.good) - len(refused)
    return {
        "status": "partial_success" if failed else "success",
        "summary": {
            "received": good + len(failed),
            "successful": good,
            "failed": len(failed),
            "retriable": 0,
            "non_retriable": len(failed),
            "pending": sum(each.outcome not in (Outcome.STORED, Outcome.REFUSED) for each in settlements),
        },
        "failed_events": failed,
    }


def _why(settlement: Settlement) -> Json:
    return {"reason": settlement.reason, "stores": settlement.failed_stores} if settlement.reason else {}
