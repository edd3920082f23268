"""The value that travels: one OpenLineage event with its original bytes and its id.

Source of the words: OpenLineage 2-0-2 (RunEvent, JobEvent, DatasetEvent).
"""

from __future__ import annotations

from typing import Any, Literal, NamedTuple

Kind = Literal["run", "job", "dataset"]

STATE_TYPES = ("START", "RUNNING", "FAIL", "ABORT", "COMPLETE")
"""The event types that say a state, in the order in which they count at equal times. OTHER says none."""


class Name(NamedTuple):
    """What OpenLineage calls a job or a dataset by: a namespace and a name, both case-sensitive, neither parsed."""

    namespace: str
    name: str


class DatasetMention(NamedTuple):
    """One entry of an event's inputs or outputs, or a DatasetEvent's dataset. Facets are as sent, nulls included."""

    name: Name
    facets: dict[str, Any]
    own_facets: dict[str, Any]
    """inputFacets of an input, outputFacets of an output."""


class LineageEvent(NamedTuple):
    """One accepted event. Build it with ``headwater.shared.codec.decode`` (bytes) or ``from_dict``."""

    raw: bytes
    """The bytes as received, kept for audit."""
    event_id: str
    """32 hex digits: BLAKE2b-128 of the canonical JSON. Equal events have equal ids, whoever sends them."""
    kind: Kind
    event_type: str | None
    """START, RUNNING, COMPLETE, ABORT, FAIL, OTHER in capitals; another word as sent, in capitals; None if absent."""
    event_time: str
    """Canonical time, see ``headwater.shared.times``: it sorts as text as it sorts in time."""
    run_id: str | None
    """A UUID in lower case with dashes; one that is no UUID is mapped, see ``codec.run_uuid``."""
    job: Name | None
    dataset: DatasetMention | None
    inputs: tuple[DatasetMention, ...]
    outputs: tuple[DatasetMention, ...]
    body: dict[str, Any]
    """The parsed JSON, whole; empty in an ``outline``."""

    def __repr__(self) -> str:
        what = self.run_id or (self.job and "/".join(self.job)) or (self.dataset and "/".join(self.dataset.name))
        return f"<LineageEvent {self.kind} {self.event_type or '-'} {what} at {self.event_time} id={self.event_id[:8]}>"


def outline(event: LineageEvent) -> LineageEvent:
    """The event without what was parsed but for its names. ``raw`` stays, and is all that an archive needs; the body of
    an event takes ten times the room of its bytes."""
    return event._replace(
        dataset=event.dataset and _bare(event.dataset),
        inputs=tuple(map(_bare, event.inputs)),
        outputs=tuple(map(_bare, event.outputs)),
        body={},
    )


def _bare(mention: DatasetMention) -> DatasetMention:
    return DatasetMention(mention.name, {}, {})
