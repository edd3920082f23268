"""Nodes of graphs that are kept from answer to answer, and used again once the store has said that nothing they were
made of is different now.

A node takes 100 µs to make and 5 to check, and most of what people look at twice, or from two sides, has not changed
between: after a run only what it touched is made anew.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Collection, Coroutine, Iterable, Mapping, Sequence
from contextlib import suppress
from threading import Lock
from typing import Any, Final, NamedTuple, TypeAlias, cast

from headwater.collector.questions.remembering import RememberingReader
from headwater.collector.stores.reading import Ask, JobEdge, Node, Reader, Seen, T, Watch, Watches
from headwater.shared.event import Name

MAX_BYTES: Final = 64 * 1024 * 1024
_MOST_OF_ALL: Final = 1 / 64
"""What one node may take of the room."""
_KEY_BYTES, _EDGE_BYTES, _NODE_BYTES = 64, 128, 512
"""What one key of a ``Watch``, one edge and all else of a node take, about."""
_TRIES: Final = 3
"""With what is kept, where edges turn out to be others now."""


class MadeNode(NamedTuple):
    body: bytes
    datasets: Collection[Name]
    """What it was made of beside its own facts, and for a job those of its runs: under each of their names."""


Make: TypeAlias = Callable[[Collection[Node]], Coroutine[Any, Any, dict[Node, MadeNode]]]
"""Of these nodes those that are there."""


class KeptNode(NamedTuple):
    made: MadeNode
    edges: Sequence[JobEdge] | None
    """Under the node's name, as ``Reader.job_edges``; None where nobody asked."""
    watch: Watch
    size: int
    """Bytes, about."""


class NodeMemory:
    """The nodes used last, up to so many bytes. For one store: what it said is checked with it."""

    def __init__(self, max_bytes: int = MAX_BYTES) -> None:
        self._max_bytes, self._max_one_bytes = max_bytes, int(max_bytes * _MOST_OF_ALL)
        self._kept: OrderedDict[Node, KeptNode] = OrderedDict()
        self._bytes = 0
        self._lock = Lock()  # questions are asked in several threads

    async def asking(self, view: Reader, ask: Ask[T]) -> T:
        """What ``ask`` returns, given a reader that takes nodes from here. ``view`` sees one state of the store, see
        ``AsksWhole``. Of a store that is no ``Watches`` nothing is kept."""
        if not isinstance(view, Watches):
            return await ask(cast(Reader, RememberingReader(view)))
        keeping = KeepingReader(view, self.find)
        for _ in range(_TRIES):
            with suppress(_StaleEdgesError):
                return await self._asked(view, keeping, ask)
        keeping.trust_nothing()
        return await self._asked(view, keeping, ask)

    async def _asked(self, view: Watches, keeping: KeepingReader, ask: Ask[T]) -> T:
        answer = await ask(cast(Reader, keeping))
        await keeping.check()
        self._renew(keeping.used, keeping.stale, await _fresh(view, keeping))
        return answer

    def find(self, node: Node) -> KeptNode | None:
        return self._kept.get(node)

    def _renew(self, used: Iterable[Node], stale: Iterable[Node], fresh: Mapping[Node, KeptNode]) -> None:
        with self._lock:
            for node in used:
                if node in self._kept:
                    self._kept.move_to_end(node)
            for node in (*stale, *fresh):
                self._drop(node)
            for node, kept in fresh.items():
                if kept.size <= self._max_one_bytes:
                    self._kept[node] = kept
                    self._bytes += kept.size
            while self._bytes > self._max_bytes:
                self._drop(next(iter(self._kept)))

    def _drop(self, node: Node) -> None:
        before = self._kept.pop(node, None)
        self._bytes -= before.size if before else 0


class _StaleEdgesError(Exception):
    """Edges were followed that may be others now."""


class KeepingReader(RememberingReader):
    """Takes nodes that are kept: edges unchecked, so that a walk need not wait at each step, until ``check``."""

    def __init__(self, view: Reader, find: Callable[[Node], KeptNode | None]) -> None:
        super().__init__(view)
        self._view = cast(Watches, view)
        self._find = find
        self.used: dict[Node, KeptNode] = {}
        self._sound: set[Node] = set()
        """Of ``used``: what was checked."""
        self.stale: set[Node] = set()
        self.made: dict[Node, MadeNode] = {}

    def edges_before(self, node: Node) -> Sequence[JobEdge] | None:
        kept = self._use(node)
        return kept.edges if kept else None

    async def bodies(self, nodes: Collection[Node], make: Make) -> dict[Node, bytes]:
        """Raises _StaleEdgesError where the nodes may be others now."""
        for node in nodes:
            self._use(node)
        await self.check()
        found = {node: self.used[node].made.body for node in nodes if node in self.used}
        made = await make([node for node in nodes if node not in found])
        self.made |= made
        return found | {node: each.body for node, each in made.items()}

    async def check(self) -> None:
        """Forgets what does not hold; raises _StaleEdgesError where its edges were taken."""
        asked = {node: kept.watch for node, kept in self.used.items() if node not in self._sound}
        unchanged = await self._view.unchanged(list(asked.values()))
        stale = {node for node, holds in zip(asked, unchanged, strict=True) if not holds}
        self._sound.update(asked.keys() - stale)
        self.stale |= stale
        followed = [node for node in stale if self.used.pop(node).edges is not None and node in self.edges]
        for node in followed:
            del self.edges[node]
        if followed:
            raise _StaleEdgesError

    def trust_nothing(self) -> None:
        """Takes nothing from now on, whatever is kept."""
        for node in self.used:
            self.edges.pop(node, None)
        self.used.clear()
        self._find = lambda _: None

    def _use(self, node: Node) -> KeptNode | None:
        kept = self.used.get(node)
        if kept is None and node not in self.stale:
            kept = self._find(node)
            if kept is not None:
                self.used[node] = kept
        return kept


async def bodies_of(reader: Reader, nodes: Collection[Node], make: Make) -> dict[Node, bytes]:
    """The bodies of those of the nodes that are there, made only where they are not kept."""
    if isinstance(reader, KeepingReader):
        return await reader.bodies(nodes, make)
    return {node: each.body for node, each in (await make(nodes)).items()}


async def _fresh(view: Watches, keeping: KeepingReader) -> dict[Node, KeptNode]:
    """What was made; and what was used and of which the edges were not known before."""
    edges = keeping.edges
    made = dict(keeping.made)
    for node, kept in keeping.used.items():
        if kept.edges is None and node in edges:
            made[node] = kept.made
    watches = await view.watch([_seen(node, each, node in edges) for node, each in made.items()])
    return {
        node: _kept(each, edges.get(node), watch) for (node, each), watch in zip(made.items(), watches, strict=True)
    }


def _kept(made: MadeNode, edges: Sequence[JobEdge] | None, watch: Watch) -> KeptNode:
    body = bytes(memoryview(made.body))  # a copy: JSON is made in a larger buffer, and twice as much would stay
    size = len(body) + _KEY_BYTES * len(watch.keys) + _EDGE_BYTES * len(edges or ()) + _NODE_BYTES
    return KeptNode(MadeNode(body, made.datasets), edges, watch, size)


def _seen(node: Node, made: MadeNode, edges: bool) -> Seen:
    kind, name = node
    return Seen([name] if kind == "job" else [], made.datasets, [node] if edges else [])
