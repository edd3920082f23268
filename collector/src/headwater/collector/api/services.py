"""What the API needs of a running collector."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple, Protocol, TypeAlias

from prometheus_client import CollectorRegistry

from headwater.collector.deadletters import DeadLetters
from headwater.collector.pipeline.outcome import Settlement
from headwater.collector.questions import Questions
from headwater.shared.event import LineageEvent

Json: TypeAlias = dict[str, Any]
"""A JSON object, ready to be written."""


class Readiness(NamedTuple):
    """Whether events are taken and stored now."""

    ready: bool
    checks: dict[str, str]
    """Each thing looked at (``pipeline``, a store's name): ``ok``, or what is wrong with it."""


class Operations(Protocol):
    """What operators ask of a process of headwater's. ``Collecting`` is one."""

    @property
    def dead_letters(self) -> DeadLetters: ...

    @property
    def registry(self) -> CollectorRegistry:
        """Of every metric of this collector; the API adds its own."""
        ...

    async def readiness(self) -> Readiness: ...


class Services(Operations, Protocol):
    """A running collector, as the API sees it. ``Embedded`` and ``Serving`` are two."""

    @property
    def questions(self) -> Questions: ...

    async def accept(self, events: Sequence[LineageEvent]) -> Sequence[Settlement]:
        """Like ``ingest``, but ``LOGGED`` is enough where the stores will have the events in a moment."""
        ...

    async def readable(self) -> None:
        """Waits, for a bounded time, until what ``accept`` took here can be read."""
        ...

    async def ingest(self, events: Sequence[LineageEvent]) -> Sequence[Settlement]:
        """Appends events that the codec accepts to the log, and waits for a bounded time until each is settled. One
        settlement an event, in order. Raises TransientError or PermanentError where the log did not take them."""
        ...
