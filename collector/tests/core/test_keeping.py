"""Kept nodes: which are kept, for how long, and what a store that keeps changing, or cannot tell, is asked."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import cast

from headwater.collector.facts import Side
from headwater.collector.questions.keeping import MadeNode, NodeMemory, bodies_of
from headwater.collector.stores.reading import Ask, JobEdge, Node, Reader, Seen, Watch
from headwater.shared.event import Name

DATASET = Name("db", "a")
TIME = "2026-01-01T00:00:00.000000000Z"


class Telling:
    """A store of jobs that write one dataset, and can tell whether each is as it was."""

    def __init__(self) -> None:
        self.states: dict[Name, int] = {}
        self.made: list[Name] = []
        self.edges_of: list[Name] = []

    def state(self, job: Name) -> int:
        return self.states.get(job, 0)

    async def job_edges(self, jobs: Collection[Name], datasets: Collection[Name]) -> list[JobEdge]:
        assert not datasets
        self.edges_of += jobs
        return [JobEdge(job, Side.OUTPUT, DATASET, f"{self.state(job)}") for job in jobs]

    async def watch(self, seen: Sequence[Seen]) -> list[Watch]:
        return [self._watch(job) for each in seen for job in each.jobs]

    async def unchanged(self, watched: Sequence[Watch]) -> list[bool]:
        return [each.stamps == self.state(Name("jobs", each.keys[0].decode())) for each in watched]

    def _watch(self, job: Name) -> Watch:
        return Watch((job.name.encode(),), self.state(job))


class Silent(Telling):
    watch = None  # type: ignore[assignment]


class Restless(Telling):
    """Nothing in it is what it was."""

    async def unchanged(self, watched: Sequence[Watch]) -> list[bool]:
        return [False for _ in watched]


def about(store: Telling, *names: str, size: int = 0) -> Ask[list[str]]:
    """Asks for the edges of these jobs, and for the jobs."""
    nodes: list[Node] = [("job", Name("jobs", name)) for name in names]

    async def make(missing: Collection[Node]) -> dict[Node, MadeNode]:
        jobs = [name for _, name in missing]
        store.made += jobs
        return {("job", job): MadeNode(f"{store.state(job)}".encode() + b" " * size, [DATASET]) for job in jobs}

    async def ask(reader: Reader) -> list[str]:
        edges = await reader.job_edges([name for _, name in nodes], ())
        bodies = await bodies_of(reader, nodes, make)
        return [f"{edge.last_time} {bodies['job', edge.job].decode().strip()}" for edge in edges]

    return ask


async def answer(memory: NodeMemory, store: Telling, *names: str, size: int = 0) -> list[str]:
    return await memory.asking(cast(Reader, store), about(store, *names, size=size))


async def test_a_node_is_made_once_while_it_is_as_it_was() -> None:
    memory, store = NodeMemory(), Telling()
    assert await answer(memory, store, "j", "k") == await answer(memory, store, "j", "k") == ["0 0", "0 0"]
    assert len(store.made) == len(store.edges_of) == 2


async def test_different_questions_share_nodes() -> None:
    memory, store = NodeMemory(), Telling()
    await answer(memory, store, "j", "k")
    await answer(memory, store, "k", "l")
    assert [job.name for job in store.made] == ["j", "k", "l"]


async def test_only_what_has_changed_is_made_anew_and_that_is_kept() -> None:
    memory, store = NodeMemory(), Telling()
    await answer(memory, store, "j", "k")
    store.states[Name("jobs", "j")] = 1
    for _ in range(2):
        assert await answer(memory, store, "j", "k") == ["1 1", "0 0"]
    assert [job.name for job in store.made] == [job.name for job in store.edges_of] == ["j", "k", "j"]


async def test_a_store_that_cannot_tell_is_asked_each_time() -> None:
    memory, store = NodeMemory(), Silent()
    for _ in range(2):
        assert await answer(memory, store, "j") == ["0 0"]
    assert len(store.made) == 2


async def test_a_store_that_is_never_what_it_was_is_answered_from_all_the_same() -> None:
    memory, store = NodeMemory(), Restless()
    for state in range(3):
        store.states[Name("jobs", "j")] = state
        assert await answer(memory, store, "j") == [f"{state} {state}"]


async def test_the_nodes_used_last_stay() -> None:
    memory, store = NodeMemory(max_bytes=200_000), Telling()
    for name in ("old", "used long ago", *map(str, range(300))):
        await answer(memory, store, name, size=1_200)
        await answer(memory, store, "old")
    store.made.clear()
    await answer(memory, store, "old")
    assert not store.made
    await answer(memory, store, "used long ago")
    assert len(store.made) == 1


async def test_a_node_that_takes_too_much_room_is_not_kept() -> None:
    memory, store = NodeMemory(max_bytes=200_000), Telling()
    for _ in range(2):
        await answer(memory, store, "large", size=5_000)
    assert len(store.made) == 2
