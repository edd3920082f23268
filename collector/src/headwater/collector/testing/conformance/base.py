"""What every check uses: the subclass's declarations, fixtures, and comparing a place with the reference."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine, Iterable, Mapping, Sequence
from typing import Any, ClassVar, NoReturn, TypeVar

import pytest
from hypothesis import HealthCheck, Phase, settings

from headwater.collector.stores.base import LineageStoreProtocol, ProjectedEvent
from headwater.collector.stores.combined import Readable, ReadableDocuments, ReadableGraph
from headwater.collector.stores.memory import MemoryLineageStore
from headwater.collector.stores.reading import DocumentReader, GraphReader
from headwater.collector.testing.conformance import comparing
from headwater.collector.testing.conformance.capabilities import Faults, Keeps, MakeStore
from headwater.collector.testing.conformance.events import projected
from headwater.collector.testing.conformance.places import Place, Places

T = TypeVar("T")

MIB = 1 << 20


class Checks:
    """Base of the checks, see ``StoreConformance``."""

    keeps: ClassVar[Keeps] = Keeps.BOTH
    """What can be read back. Checks of the rest are skipped, and say so."""
    excused: ClassVar[Mapping[str, str]] = {}
    """Name of a check -> why this store need not, or cannot, be held to it. It is skipped with this reason."""
    deadline_s: ClassVar[float] = 30.0
    """Within which a call to a store of ``make_hasty_store`` comes back, whatever happens."""
    grace_s: ClassVar[float] = 10.0
    """Added to it, for a busy machine."""
    large_bytes: ClassVar[Sequence[int]] = (MIB, 9 * MIB, 16 * MIB)
    """Sizes of large events; 16 MiB is the largest that headwater accepts."""
    examples: ClassVar[int] = 20
    """Of each Hypothesis property: fewer for a slow server."""
    shrinks: ClassVar[bool] = False
    """Looks for the smallest failing example, which may take minutes."""
    check_timeout_s: ClassVar[float] = 600.0
    """Of a whole check, so that a store that hangs fails it."""

    @pytest.fixture
    def make_store(self) -> MakeStore:
        """To be given by the subclass, see ``MakeStore``."""
        pytest.fail(f"{type(self).__name__} must have a fixture `make_store`, see docs/stores.md", pytrace=False)

    @pytest.fixture
    def make_hasty_store(self, make_store: MakeStore) -> MakeStore:
        """As ``make_store``, of stores with a short deadline, for the checks that wait for it. May be given by the
        subclass."""
        return make_store

    @pytest.fixture
    def faults(self) -> Faults | None:
        """To be given by the subclass, where its backend can be made to fail."""
        return None

    @pytest.fixture
    def places(self, make_store: MakeStore) -> Places:
        """Gives empty places, one after the other."""
        return Places(make_store)

    @pytest.fixture
    def place(self, places: Places) -> Place:
        """One empty place."""
        return places.fresh()

    @pytest.fixture(autouse=True)
    def _excuses(self, request: pytest.FixtureRequest) -> None:
        """Before all other fixtures: an excused check starts no server."""
        unknown = sorted(name for name in self.excused if not hasattr(self, name))
        if unknown:
            pytest.fail(f"excused: there is no check {', '.join(unknown)}", pytrace=False)
        if reason := self.excused.get(request.function.__name__):
            pytest.skip(f"excused: {reason}")

    def parts(self, store: LineageStoreProtocol) -> Sequence[LineageStoreProtocol]:
        """The stores to read from, in place of ``store``: of one that writes to several."""
        return [store]

    def run(self, check: Coroutine[Any, Any, T]) -> T:
        """Runs it in an event loop of its own."""
        return asyncio.run(asyncio.wait_for(check, self.check_timeout_s))

    @property
    def searching(self) -> settings:
        """Settings of a Hypothesis property."""
        phases = [Phase.explicit, Phase.generate, *([Phase.shrink] if self.shrinks else [])]
        unhurried = list(HealthCheck)
        return settings(
            max_examples=self.examples, phases=phases, deadline=None, database=None, suppress_health_check=unhurried
        )

    def needs(self, wanted: Keeps) -> None:
        """Skips the check where nothing of this can be read back."""
        if not self.keeps & wanted:
            lacks = "is write only" if wanted is Keeps.BOTH else f"keeps no {str(wanted.name).lower()}"
            pytest.skip(f"{lacks}, as declared: {self.keeps}")

    def documents_of(self, store: LineageStoreProtocol) -> DocumentReader | None:
        for part in self.parts(store):
            if isinstance(part, Readable):
                return part.reader()
            if isinstance(part, ReadableDocuments):
                return part.document_reader()
        return None

    def graph_of(self, store: LineageStoreProtocol) -> GraphReader | None:
        for part in self.parts(store):
            if isinstance(part, Readable):
                return part.reader()
            if isinstance(part, ReadableGraph):
                return part.graph_reader()
        return None

    async def write(self, store: LineageStoreProtocol, batches: Iterable[Sequence[bytes]]) -> None:
        """Batch by batch, as the pipeline does."""
        for batch in batches:
            await store.write([projected(raw) for raw in batch])

    async def must_hold(self, store: LineageStoreProtocol, events: Sequence[bytes], *, when: str) -> None:
        """Exactly these events are in the open store: documents byte for byte, and every base fact of the graph."""
        wrong = []
        if self.keeps & Keeps.DOCUMENTS:
            wrong += await comparing.document_differences(self._read(self.documents_of(store)), events)
        if self.keeps & Keeps.GRAPH:
            reference = (await memory_of(events)).reader()
            wrong += await comparing.base_differences(self._read(self.graph_of(store)), reference)
        self.all_right(wrong, when)

    def _read(self, reader: T | None) -> T:
        if reader is None:
            self.fail(f"keeps = {self.keeps}, but the store offers no reader for it")
        return reader

    def all_right(self, wrong: Sequence[str], when: str) -> None:
        """Fails with the first few differences."""
        if wrong:
            more = f"\n  and {len(wrong) - 10} more" if len(wrong) > 10 else ""
            self.fail(f"{when}, {len(wrong)} answers differ:\n  " + "\n  ".join(wrong[:10]) + more)

    def fail(self, message: str) -> NoReturn:
        """Without a traceback through the suite, which tells a store's author nothing."""
        pytest.fail(f"{type(self).__name__}: {message}", pytrace=False)


async def memory_of(events: Sequence[bytes]) -> MemoryLineageStore:
    """The reference with these events, written in this order."""
    memory = MemoryLineageStore()
    await memory.write([projected(raw) for raw in events])
    return memory


def batch_of(events: Iterable[bytes]) -> list[ProjectedEvent]:
    """As ``write`` takes it."""
    return [projected(raw) for raw in events]
