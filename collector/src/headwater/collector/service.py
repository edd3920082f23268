"""For an application that consumes events itself: one call for each message, the same write path as the pipeline's."""

from __future__ import annotations

from collections.abc import Mapping
from random import Random
from typing import Any

from headwater.collector.manager import LineageManager
from headwater.collector.pipeline.pace import Pace
from headwater.collector.pipeline.writing import WritePath
from headwater.collector.projection import project
from headwater.collector.stores.base import ProjectedEvent
from headwater.collector.stores.composite import SomeStoresFailedError, SomeStoresRefusedError
from headwater.collector.stores.member import WriteOutcome
from headwater.shared.codec import decode, from_dict
from headwater.shared.errors import InvalidFieldError
from headwater.shared.event import LineageEvent


class LineageCollectorService:
    """Takes single events into the manager's stores. ``start`` and ``stop`` start and stop the manager."""

    def __init__(self, manager: LineageManager | None = None, *, pace: Pace | None = None) -> None:
        """Without a manager: one from the settings."""
        self.manager = manager if manager is not None else LineageManager()
        self._pace = pace
        self._writes: WritePath | None = None

    async def start(self) -> None:
        """Opens the stores. Idempotent."""
        await self.manager.start()
        if self._writes is None:
            self._pace = self._pace if self._pace is not None else Pace()
            policy = self.manager.settings.lineage.collector.retry.policy()
            self._writes = WritePath(self.manager.stores, policy, self._pace, Random())  # noqa: S311 - jitter

    async def stop(self) -> None:
        """Ends the tries under way and closes the stores. Idempotent."""
        if self._pace is not None:
            await self._pace.close()
        self._writes = self._pace = None
        await self.manager.stop()

    async def handle_lineage_event(
        self, event: LineageEvent | Mapping[str, Any] | bytes | str, raw_message: Any = None, **kwargs: Any
    ) -> LineageEvent:
        """Stores one event in every store and returns it; when this returns it is durable and can be read.

        ``raw_message``: the message as it was received, for audit: bytes, text, or a consumer's message object whose
        ``value`` is those (aiokafka) or returns them (confluent-kafka). If given, it is what is stored. Further
        keywords (topic, partition, offset, ...) are a consumer's context; they are accepted and change nothing.

        Raises InvalidEventError if it is no event; TransientError (``SomeStoresFailedError``) if a store did not take
        it after the policy's tries, so do not commit its offset, and hand it in again: stores that have it are not
        harmed; PermanentError (``SomeStoresRefusedError``) if a store never will.
        """
        if self._writes is None:
            raise RuntimeError("the service is not started: await service.start()")
        accepted = _accept(event, raw_message)
        item = ProjectedEvent(accepted, project(accepted))
        report = await self._writes.write([item])
        outcomes: dict[str, WriteOutcome] = dict.fromkeys(self.manager.stores.members)
        failed, refused = report.failed.get(0, {}), report.refused.get(0, {})
        outcomes.update(failed)
        outcomes.update(refused)
        if failed:
            raise SomeStoresFailedError(outcomes)
        if refused:
            raise SomeStoresRefusedError(outcomes)
        return accepted

    async def __aenter__(self) -> LineageCollectorService:
        await self.start()
        return self

    async def __aexit__(self, *exc: object) -> None:
        await self.stop()


def _accept(event: LineageEvent | Mapping[str, Any] | bytes | str, raw_message: Any) -> LineageEvent:
    raw = _bytes_of(raw_message)
    if raw is not None:
        return decode(raw)
    if isinstance(event, LineageEvent):
        return event
    if isinstance(event, Mapping):
        return from_dict(dict(event))
    if isinstance(event, bytes | str):
        return decode(event if isinstance(event, bytes) else event.encode("utf-8", "surrogatepass"))
    raise InvalidFieldError(f"an event is a LineageEvent, a dict or bytes, not {type(event).__name__}")


def _bytes_of(message: Any) -> bytes | None:
    if message is None or isinstance(message, bytes):
        return message
    if isinstance(message, str):
        return message.encode("utf-8", "surrogatepass")
    if isinstance(message, bytearray | memoryview):
        return bytes(message)
    if isinstance(message, Mapping):
        return None  # the parsed message again
    value = getattr(message, "value", None)
    return _bytes_of(value() if callable(value) else value)
