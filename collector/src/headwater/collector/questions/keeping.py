"""Nodes of graphs that are kept from answer to answer, and used again once the store has said that nothing they were
made of is different now.

A node takes 100 µs to make and 5 to check, and most of what people look at twice, or from two sides, has not changed
between: after a run only what it touched is made anew.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Collection, Coroutine, Iterable, Mapping, Sequence
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
        for _ in range(_TRIES):
            keeping = KeepingReader(view, self.find)
            answer = await ask(cast(Reader, keeping))
            stale = await _stale(view, keeping.used)
            fresh = await _fresh(view, keeping, stale)
            self._renew(keeping.used, stale, fresh)
            if not stale:
                return answer
        return await ask(cast(Reader, RememberingReader(view)))

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


class KeepingReader(RememberingReader):
    """Takes edges from nodes that are kept, unchecked: ``used`` says which."""

    def __init__(self, reader: Reader, find: Callable[[Node], KeptNode | None]) -> None:
        super().__init__(reader)
        self._find = find
        self.used: dict[Node, KeptNode] = {}
        self.made: dict[Node, MadeNode] = {}

    def edges_before(self, node: Node) -> Sequence[JobEdge] | None:
        kept = self._use(node)
        return kept.edges if kept else None

    async def bodies(self, nodes: Collection[Node], make: Make) -> dict[Node, bytes]:
        found = {node: kept.made.body for node in nodes if (kept := self._use(node))}
        made = await make([node for node in nodes if node not in found])
        self.made |= made
        return found | {node: each.body for node, each in made.items()}

    def _use(self, node: Node) -> KeptNode | None:
        kept = self.used.get(node) or self._find(node)
        if kept is not None:
            self.used[node] = kept
        return kept


async def bodies_of(reader: Reader, nodes: Collection[Node], make: Make) -> dict[Node, bytes]:
    """The bodies of those of the nodes that are there, made only where they are not kept."""
    if isinstance(reader, KeepingReader):
        return await reader.bodies(nodes, make)
    return {node: each.body for node, each in (await make(nodes)).items()}


async def _stale(view: Watches, used: Mapping[Node, KeptNode]) -> set[Node]:
    unchanged = await view.unchanged([kept.watch for kept in used.values()])
    return {node for node, holds in zip(used, unchanged, strict=True) if not holds}


async def _fresh(view: Watches, keeping: KeepingReader, stale: Collection[Node]) -> dict[Node, KeptNode]:
    """What was made; and what was used and of which the edges were not known before."""
    edges = keeping.edges
    made = dict(keeping.made)
    for node, kept in keeping.used.items():
        if kept.edges is None and node in edges and node not in stale:
            made[node] = kept.made
    watches = await view.watch([_seen(node, each, node in edges) for node, each in made.items()])
    return {
        node: _kept(each, edges.get(node), watch) for (node, each), watch in zip(made.items(), watches, strict=True)
    }


def _kept(made: MadeNode, edges: Sequence[JobEdge] | None, watch: Watch) -> KeptNode:
    size = len(made.body) + _KEY_BYTES * len(watch.keys) + _EDGE_BYTES * len(edges or ()) + _NODE_BYTES
    return KeptNode(made, edges, watch, size)


def _seen(node: Node, made: MadeNode, edges: bool) -> Seen:
    kind, name = node
    return Seen([name] if kind == "job" else [], made.datasets, [name] if edges else [])
