"""From records to projected events: decode, project, and tell apart what one batch holds twice."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from typing import NamedTuple, TypeAlias

from headwater.collector.facts import Projection
from headwater.collector.pipeline.letters import Failure
from headwater.collector.stores.base import ProjectedEvent
from headwater.shared.errors import InvalidEventError
from headwater.shared.event import LineageEvent, outline
from headwater.shared.log import StoredRecord

Decode: TypeAlias = Callable[[bytes], LineageEvent]
Project: TypeAlias = Callable[[LineageEvent], Projection]

_RECORDS_A_SLICE = 16
"""Records prepared before others get their turn: a few milliseconds of work."""

_MAX_FORESEEN, _MAX_FORESEEN_BYTES = 1_024, 16 * 1024
"""Events remembered, and the longest of them: while a store is down they stay, so they must not add up."""


class Prepared(NamedTuple):
    """A batch, ready for the stores."""

    records: Sequence[StoredRecord]
    events: list[ProjectedEvent]
    """Each event once."""
    owners: list[int]
    """For each record the index of its event; -1 for one that was refused."""
    refusals: dict[int, Failure]
    """By the index of the record."""

    @property
    def problems(self) -> int:
        """Unreadable parts in all events."""
        return sum(len(item.projection.problems) for item in self.events)


class Preparer:
    """Decodes and projects on the event loop, in slices, so that a large batch lets readers and a store's thread
    through. (A thread of its own would fight the store's for the interpreter.)"""

    def __init__(self, decode: Decode, project: Project, *, bodies: bool = True) -> None:
        """``bodies`` false: the stores do without what was parsed, so it is let go, event by event."""
        self._decode, self._project, self._bodies = decode, project, bodies
        self._foreseen: dict[bytes, LineageEvent] = {}

    def foresee(self, event: LineageEvent) -> None:
        """An event that was decoded at the entrance will come through the log: its bytes need not be decoded again.
        Some are remembered, if they are not large."""
        if len(event.raw) > _MAX_FORESEEN_BYTES:
            return
        if len(self._foreseen) >= _MAX_FORESEEN:
            self._foreseen.clear()
        self._foreseen[event.raw] = event

    async def prepare(self, records: Sequence[StoredRecord]) -> Prepared:
        """Never raises on account of a record: what cannot be decoded or projected is among the refusals."""
        prepared = Prepared(records, [], [], {})
        indexes: dict[str, int] = {}
        for start in range(0, len(records), _RECORDS_A_SLICE):
            if start:
                await asyncio.sleep(0)
            self._prepare_slice(prepared, indexes, start, min(start + _RECORDS_A_SLICE, len(records)))
        return prepared

    def _prepare_slice(self, prepared: Prepared, indexes: dict[str, int], start: int, end: int) -> None:
        records, events, owners, refusals = prepared
        for position in range(start, end):
            result = self.prepare_one(records[position].value, indexes, events)
            if isinstance(result, Failure):
                refusals[position] = result
                owners.append(-1)
            else:
                owners.append(result)

    def prepare_one(self, raw: bytes, indexes: dict[str, int], events: list[ProjectedEvent]) -> int | Failure:
        """The index of the record's event in ``events``, put there if it is new; or why there is none."""
        try:
            event = (self._foreseen.pop(raw, None) if self._foreseen else None) or self._decode(raw)
        except InvalidEventError as error:
            return Failure(error.reason, "decode", error.message, error.where)
        except Exception as error:  # a bug of ours: one record must not stall the rest
            return Failure("decode_failed", "decode", f"{type(error).__name__}: {error}")
        index = indexes.get(event.event_id)
        if index is None:
            try:
                projection = self._project(event)
            except Exception as error:  # as above
                return Failure(
                    "projection_failed", "project", f"{type(error).__name__}: {error}", event_id=event.event_id
                )
            index = indexes[event.event_id] = len(events)
            events.append(ProjectedEvent(event if self._bodies else outline(event), projection))
        return index
