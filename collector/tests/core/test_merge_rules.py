"""Every merge rule, attacked: random facts in random batches, orders and copies leave what merging by hand leaves."""

from __future__ import annotations

import asyncio
import tempfile
from pathlib import Path

from hypothesis import given, note, settings
from hypothesis import strategies as st

from headwater.collector.facts import (
    DatasetSeen,
    DesignIO,
    FacetSaid,
    Fact,
    JobSeen,
    Lifecycle,
    Mark,
    Projection,
    RunIO,
    RunJob,
    RunSeen,
    RunState,
    Scope,
    Side,
)
from headwater.collector.merging.keys import value_key
from headwater.collector.questions.fingerprint import base_line
from headwater.collector.stores.base import ProjectedEvent
from headwater.collector.stores.memory import MemoryLineageStore
from headwater.collector.stores.sql import SqlLineageStore
from headwater.shared.codec import from_dict
from headwater.shared.event import Name

TIMES = [f"2026-01-0{day}T00:00:00.000000000Z" for day in (1, 2, 3)]
RUNS = [f"00000000-0000-7000-8000-00000000000{n}" for n in (1, 2)]
NAMES = [Name("ns", "a"), Name("ns", "b"), Name("n", "sa")]
EVENTS = [f"{n:032x}" for n in (1, 2, 3)]

times = st.sampled_from(TIMES)
spans = st.tuples(times, times).map(sorted)
runs = st.sampled_from(RUNS)
names = st.sampled_from(NAMES)


@st.composite
def facets(draw: st.DrawFn) -> Fact:
    scope = draw(st.sampled_from(list(Scope)))
    run, name, version = draw(runs), draw(names), draw(st.sampled_from(["", "1"]))
    owner: tuple[str, ...] = (run, *name, version)
    if scope in (Scope.RUN, Scope.RUN_JOB):
        owner = (run,)
    elif scope in (Scope.JOB, Scope.DATASET):
        owner = name
    time, event_id = draw(times), draw(st.sampled_from(EVENTS))
    value = None if event_id == EVENTS[2] else b'{"said":"%s"}' % event_id.encode()  # one event says one thing of a key
    return FacetSaid(scope, owner, draw(st.sampled_from(["sql", "x_y"])), time, event_id, value)


@st.composite
def run_jobs(draw: st.DrawFn) -> Fact:
    event_id = draw(st.sampled_from(EVENTS))
    return RunJob(draw(runs), draw(st.integers(0, 1)), draw(times), event_id, NAMES[EVENTS.index(event_id)])


@st.composite
def designs(draw: st.DrawFn) -> Fact:
    event_id = draw(st.sampled_from(EVENTS))
    return DesignIO(
        draw(names),
        draw(st.sampled_from([Side.INPUT, Side.OUTPUT])),
        draw(times),
        event_id,
        tuple(NAMES[: EVENTS.index(event_id)]),
    )


@st.composite
def marks(draw: st.DrawFn) -> Fact:
    event_id = draw(st.sampled_from(EVENTS))
    stands = event_id != EVENTS[0]  # one event says one thing of a key
    kind = draw(st.sampled_from(["withdrawn", "bad"]))
    return Mark(draw(names), draw(st.sampled_from(["1", "~x"])), kind, draw(times), event_id, stands, "r", None)


facts = st.one_of(
    st.builds(lambda name, span: JobSeen(name, *span), names, spans),
    st.builds(lambda name, span: DatasetSeen(name, *span), names, spans),
    st.builds(lambda run, span: RunSeen(run, *span), runs, spans),
    run_jobs(),
    st.builds(RunState, runs, st.sampled_from(["START", "RUNNING", "FAIL", "ABORT", "COMPLETE"]), times),
    st.builds(RunIO, runs, st.sampled_from(list(Side)), names, st.sampled_from(["", "1"]), times, st.none() | times),
    facets(),
    designs(),
    st.builds(Lifecycle, names, times, st.sampled_from(["DROP", "RENAME", "ALTER"]), st.none() | names),
    marks(),
)


def lines_of(store: MemoryLineageStore) -> set[bytes]:
    """The merged facts as the lines that the SQL store gives of its tables."""
    found = set()
    for fact in store.facts.values():
        match fact:
            case JobSeen():
                found.add(base_line("job", *fact.job, fact.first_time, fact.last_time))
            case DatasetSeen():
                found.add(base_line("dataset", *fact.dataset, fact.first_time, fact.last_time))
            case RunSeen():
                found.add(base_line("run", *fact))
            case RunJob():
                found.add(base_line("run_job", fact.run, fact.rank, fact.time, fact.event_id, *fact.job))
            case RunState():
                found.add(base_line("run_state", *fact))
            case RunIO():
                found.add(
                    base_line(
                        "run_io", fact.run, int(fact.side), *fact.dataset, fact.version, fact.time, fact.commit_time
                    )
                )
            case FacetSaid():
                run, namespace, name, version = _owner(fact)
                value = None if fact.value is None else value_key(fact.value).hex()
                found.add(
                    base_line(
                        "facet",
                        int(fact.scope),
                        run,
                        namespace,
                        name,
                        version,
                        fact.name,
                        fact.time,
                        fact.event_id,
                        value,
                    )
                )
            case DesignIO():
                found.add(base_line("design", *fact.job, int(fact.side), fact.time, fact.event_id, _listed(fact)))
            case Lifecycle():
                previous = fact.previous or (None, None)
                found.add(base_line("lifecycle", *fact.dataset, fact.time, fact.change, *previous))
            case Mark():
                found.add(base_line("mark", *fact.dataset, *fact[1:]))
    return found


def _owner(fact: FacetSaid) -> tuple[str | None, str | None, str | None, str]:
    if fact.scope in (Scope.RUN, Scope.RUN_JOB):
        return fact.owner[0], None, None, ""
    if fact.scope in (Scope.JOB, Scope.DATASET):
        return None, fact.owner[0], fact.owner[1], ""
    return fact.owner[0], fact.owner[1], fact.owner[2], fact.owner[3]


def _listed(fact: DesignIO) -> str:
    return "[" + ",".join(f'["{name.namespace}","{name.name}"]' for name in fact.datasets) + "]"


def statement(fact: Fact) -> list[Fact]:
    """As ``project`` does, a fact about a job, dataset or run comes with its being seen."""
    of_job = [RunJob(RUNS[0], 0, TIMES[0], EVENTS[0], NAMES[0]), JobSeen(NAMES[0], TIMES[0], TIMES[0])]
    match fact:
        case RunState() | RunIO() | RunSeen():
            return [fact, of_job[0]._replace(run=fact.run), of_job[1]]
        case RunJob() | DesignIO():
            return [fact, JobSeen(fact.job, TIMES[0], TIMES[0])]
        case FacetSaid(scope=Scope.JOB):
            return [fact, JobSeen(Name(*fact.owner), TIMES[0], TIMES[0])]
        case FacetSaid(scope=Scope.DATASET):
            return [fact, DatasetSeen(Name(*fact.owner), TIMES[0], TIMES[0])]
        case Lifecycle() | Mark():
            return [fact, DatasetSeen(fact.dataset, TIMES[0], TIMES[0])]
        case FacetSaid(scope=Scope.INPUT | Scope.INPUT_OWN | Scope.OUTPUT | Scope.OUTPUT_OWN):
            return [fact, DatasetSeen(Name(fact.owner[1], fact.owner[2]), TIMES[0], TIMES[0])]
    return [fact]


def event(number: int) -> ProjectedEvent:
    said = from_dict({"eventTime": "2026-01-01", "job": {"namespace": "ns", "name": f"carrier {number}"}})
    return ProjectedEvent(said, Projection([], []))


async def lines_after(batches: list[list[Fact]]) -> set[bytes]:
    with tempfile.TemporaryDirectory() as directory:
        store = SqlLineageStore(f"sqlite:///{Path(directory) / 'x.db'}")
        await store.open()
        for number, batch in enumerate(batches):
            await store.write([event(number)._replace(projection=Projection(batch, []))])
        found = set(await store.reader().base_lines())
        await store.close()
    return found


@settings(max_examples=60, deadline=None)
@given(st.lists(facts, min_size=1, max_size=25), st.randoms(use_true_random=False), st.integers(1, 6))
def test_any_order_batching_and_copies_leave_the_same_facts(said: list[Fact], random, batches: int) -> None:
    statements = [statement(fact) for fact in said]
    by_hand = MemoryLineageStore()
    asyncio.run(by_hand.write([event(0)._replace(projection=Projection([f for each in statements for f in each], []))]))
    shuffled = statements + random.sample(statements, k=len(statements) // 2)
    random.shuffle(shuffled)
    note(f"{shuffled}")
    split = [[fact for each in shuffled[n::batches] for fact in each] for n in range(batches)]
    assert asyncio.run(lines_after(split)) == lines_of(by_hand)
