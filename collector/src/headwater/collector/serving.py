"""The deployed API: answers from the configured stores, events into the log that collectors elsewhere read from."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AsyncExitStack
from typing import TYPE_CHECKING

from headwater.collector.deadletters import DeadLetters
from headwater.collector.logurl import configured_log
from headwater.collector.manager import LineageManager
from headwater.collector.metrics import PipelineMetrics
from headwater.collector.pipeline import Outcome, Settlement
from headwater.collector.questions import Questions
from headwater.collector.settings import Settings
from headwater.collector.stores.reading import Reader
from headwater.collector.stores.rebuilding import trouble_of
from headwater.shared.errors import HeadwaterError, PermanentError, TransientError
from headwater.shared.event import LineageEvent
from headwater.shared.log import Record
from headwater.shared.log.kafka import KafkaLog
from headwater.shared.log.keys import partition_key

if TYPE_CHECKING:
    from prometheus_client import CollectorRegistry

    from headwater.collector.api.services import Readiness


class Serving:
    """Implements Services. Collects nothing itself. Not restartable: make a new one."""

    def __init__(self, settings: Settings, *, url: str | None = None) -> None:
        """``url`` wins over ``lineage.url``. Touches nothing yet. Raises ConfigurationError."""
        self.metrics = PipelineMetrics()
        self.log, self.topic = configured_log(settings.lineage, url, metrics=self.metrics.log)
        self.manager = LineageManager(settings, metrics=self.metrics)
        self.dead_letters = DeadLetters(self.log, self.topic)
        self._questions: Questions | None = None
        self._stack = AsyncExitStack()

    @property
    def questions(self) -> Questions:
        """Raises RuntimeError before ``start``."""
        if self._questions is None:
            raise RuntimeError("not started: await serving.start()")
        return self._questions

    @property
    def registry(self) -> CollectorRegistry:
        """Of this process's metrics."""
        return self.metrics.registry

    async def start(self) -> None:
        """Raises ConfigurationError (no configured store can be read), TransientError or PermanentError; then nothing
        is left open. Brokers may be away."""
        async with AsyncExitStack() as stack:
            await self.log.open()
            stack.push_async_callback(self.log.close)
            stack.push_async_callback(self.manager.stop)
            await self.manager.start()
            self._questions = Questions(self._reader())
            self._stack = stack.pop_all()

    def _reader(self) -> Reader:
        """Says which store is away and why, where only "not open" is known."""
        try:
            return self.manager.reader()
        except TransientError as error:
            down = "; ".join(f"{name}: {' '.join(why.split())}" for name, why in self.manager.stores.down().items())
            raise TransientError(f"nothing can be answered while a store that is read is away ({down})") from error

    async def stop(self) -> None:
        """Idempotent."""
        await self._stack.aclose()

    async def accept(self, events: Sequence[LineageEvent]) -> list[Settlement]:
        """``ingest``: nothing more is known here."""
        return await self.ingest(events)

    async def readable(self) -> None:
        """Does not wait: collectors elsewhere store what was accepted, in their own time."""

    async def ingest(self, events: Sequence[LineageEvent]) -> list[Settlement]:
        """Appends the events; each is ``LOGGED`` once the log has it durably (on Kafka: all in-sync replicas), or
        ``REFUSED``. Raises TransientError where the log may not have all of them: sending them again is safe."""
        records = [Record(event.raw, partition_key(event.body)) for event in events]
        settlements: list[Settlement] = []
        for result in await self._append(records):
            if isinstance(result, PermanentError):
                settlements.append(Settlement(-1, Outcome.REFUSED, "refused", str(result)))
            elif isinstance(result, HeadwaterError):
                raise result
            else:
                settlements.append(Settlement(result, Outcome.LOGGED))
        return settlements

    async def _append(self, records: list[Record]) -> Sequence[int | HeadwaterError]:
        if not isinstance(self.log, KafkaLog):
            return await self.log.append(self.topic, records)
        results = await self.log.append_each(self.topic, records)
        return [result if isinstance(result, HeadwaterError) else result.offset for result in results]

    async def readiness(self) -> Readiness:
        """Whether events are taken, and the stores can be asked."""
        from headwater.collector.api.services import Readiness

        await self.manager.stores.probe()
        down = self.manager.stores.down()
        checks = {f"store {name}": down.get(name, "ok") for name in self.manager.stores.members}
        checks["log"] = await self._log_trouble() or "ok"
        ready = all(word == "ok" for word in checks.values())
        if not down and (trouble := await trouble_of(self.questions.reader)):
            checks["graph"] = trouble  # questions are answered all the same
        return Readiness(ready, checks)

    async def _log_trouble(self) -> str | None:
        try:
            if isinstance(self.log, KafkaLog):
                await self.log.ensure([self.topic])
            else:
                await self.log.size(self.topic)
        except (TransientError, PermanentError) as error:
            return str(error)
        return None

    async def __aenter__(self) -> Serving:
        await self.start()
        return self

    async def __aexit__(self, *exc: object) -> None:
        await self.stop()
