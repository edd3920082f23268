"""The stores of one collector: built from settings, opened, handed out, closed."""

from __future__ import annotations

from headwater.collector.metrics import PipelineMetrics
from headwater.collector.settings import Settings
from headwater.collector.stores.base import LineageStoreProtocol
from headwater.collector.stores.combined import reader_of
from headwater.collector.stores.composite import CompositeLineageStore
from headwater.collector.stores.reading import Reader
from headwater.collector.stores.registry import COMPOSITE, build_store
from headwater.shared.clock import Clock, SystemClock
from headwater.shared.errors import ConfigurationError


class LineageManager:
    """Builds the configured store, one or a composite, when it is made; ``start`` opens it, ``stop`` closes it."""

    def __init__(
        self,
        settings: Settings | None = None,
        *,
        store: LineageStoreProtocol | None = None,
        metrics: PipelineMetrics | None = None,
        clock: Clock | None = None,
    ) -> None:
        """``store``: use this one whatever the settings name. Raises ConfigurationError."""
        self.settings = settings if settings is not None else Settings()
        self.metrics = metrics if metrics is not None else PipelineMetrics()
        self._clock = clock if clock is not None else SystemClock()
        self._store = store if store is not None else self._build()
        self.stores = self._store if isinstance(self._store, CompositeLineageStore) else self._guard([self._store])
        """The write side: the active store, or its members, behind deadlines and breakers."""
        self._started = False

    def _build(self) -> LineageStoreProtocol:
        store = self.settings.lineage.store
        if store.backend != COMPOSITE:
            return build_store(store.backend, self.settings)
        if not store.backends or COMPOSITE in store.backends:
            raise ConfigurationError(
                "lineage.store.backends", list(store.backends), "name the stores that the composite shall write to"
            )
        return self._guard([build_store(name, self.settings) for name in store.backends])

    def _guard(self, stores: list[LineageStoreProtocol]) -> CompositeLineageStore:
        lineage = self.settings.lineage
        return CompositeLineageStore(
            stores,
            deadline_s=lineage.store.deadline_s,
            breaker=lineage.collector.breaker.policy(),
            clock=self._clock,
            observer=self.metrics,
        )

    def get_store(self) -> LineageStoreProtocol:
        """The active store, single or composite."""
        return self._store

    def reader(self) -> Reader:
        """The read half of the first store that has one, else of a store of documents beside one that keeps the graph,
        for ``Questions``; good from ``start`` to ``stop``. Raises ConfigurationError if the configured stores cannot be
        read, TransientError if one that can is down."""
        stores = [member.store for member in self.stores.members.values()]
        reader = reader_of(stores)
        if reader is None:
            raise ConfigurationError(
                "lineage.store",
                sorted(self.stores.members),
                "none of these stores can be read; add sql, or both document and graph",
            )
        return reader

    async def start(self) -> None:
        """Opens the stores. One that is down for now is opened when it is back; until then its breaker is open.
        Idempotent. Raises PermanentError or ConfigurationError."""
        if not self._started:
            await self.stores.open_or_defer()
            self._started = True

    async def stop(self) -> None:
        """Closes the stores; nothing may be writing. Idempotent."""
        if self._started:
            self._started = False
            await self.stores.close()

    async def __aenter__(self) -> LineageManager:
        await self.start()
        return self

    async def __aexit__(self, *exc: object) -> None:
        await self.stop()
