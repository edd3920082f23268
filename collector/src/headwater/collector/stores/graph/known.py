"""What the graph holds of the runs, jobs and datasets that a batch touches: locked, read, and merged into the batch.

Afterwards the batch is the whole truth about these runs, so that everything derived comes from it alone; what is to be
written is the difference to what was read. Locks are taken in the order jobs, datasets, runs, each by key, so that
collectors seldom meet in a deadlock; Neo4j ends one that does happen, and the transaction is tried again.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from headwater.collector.facts import FacetSaid, RunIO, RunJob, RunSeen, RunState, Scope, Side
from headwater.collector.merging.keys import NO_KEY, name_key, run_key, run_text
from headwater.collector.merging.merge import DERIVING_FACETS, FacetKey, Merged
from headwater.collector.stores.graph import keys, mentions
from headwater.collector.stores.graph.transaction import Transaction
from headwater.shared.event import Name

IO_KINDS = {Side.INPUT: "READS", Side.OUTPUT: "WRITES", Side.NAMED: "NAMES"}
SIDES = {kind: side for side, kind in IO_KINDS.items()}
STATE_SEPARATOR = " "
"""Between time and type in the list ``states`` of a run."""

IOKey = tuple[bytes, int, bytes, str]
"""(run, side, dataset, version)."""
GenerationKey = tuple[bytes, str, bytes]
"""(dataset, version, run)."""


class RunBefore(NamedTuple):
    """A run's first event time and its job before the batch."""

    first_time: str | None
    job: bytes


class KnownFacet(NamedTuple):
    """A facet in the graph; ``id`` is the relationship's, empty for one of a mention."""

    id: str
    time: str
    event: bytes
    value: bytes | None
    """The hash, or None where the facet was taken away."""


class KnownIO(NamedTuple):
    """A READS, WRITES or NAMES in the graph; ``id`` is the relationship's."""

    id: str
    time: str
    commit_time: str | None
    at: str | None


class Known:
    """What was in the graph before the batch, and the ids of the nodes that are there now."""

    def __init__(self) -> None:
        self.jobs: dict[bytes, str] = {}
        self.datasets: dict[bytes, str] = {}
        self.runs: dict[bytes, str] = {}
        """Key to node id; a job and a dataset of one name have one key."""
        self.before: dict[bytes, RunBefore] = {}
        self.io: dict[IOKey, KnownIO] = {}
        self.facets: dict[FacetKey, KnownFacet] = {}
        self.generations: dict[GenerationKey, tuple[str, str | None]] = {}
        """(id, commit time)."""
        self.changes: dict[str, str] = {}
        """Key to id, of changes made by these runs."""
        self.job_names: dict[bytes, Name] = {}
        """Of jobs of these runs that the batch does not speak of."""

    def owner(self, scope: int, key: bytes) -> str:
        """The node id of what a facet of this scope is about."""
        nodes = {Scope.JOB: self.jobs, Scope.DATASET: self.datasets}.get(Scope(scope), self.runs)
        return nodes[key]


async def read_known(tx: Transaction, merged: Merged) -> Known:
    """Locks, reads and merges, see the module."""
    known = Known()
    new = {
        Scope.JOB: await _see(tx, _SEE_JOBS, merged.jobs, known.jobs),
        Scope.DATASET: await _see(tx, _SEE_DATASETS, merged.datasets, known.datasets),
    }
    await name_datasets(tx, merged, known)
    await _read_entity_facets(tx, merged, known, new)
    runs = await tx.each(_LOCK_RUNS, [run_text(key) for key in sorted(merged.runs)])
    known.runs.update((run_key(run), node) for run, node, _ in runs)
    before = await tx.each(_READ_RUNS, [node for _, node, is_new in runs if not is_new])
    hashes = {facet.value for row in before for io in row[11] for facet in _deriving(io)}
    bodies: dict[str, str] = dict(await tx.each(_BODIES, sorted(hashes - {mentions.ABSENT})))
    for row in before:
        _absorb(row, bodies, merged, known)
    missing = {row[5] for row in merged.runs.values()} - merged.jobs.keys()
    for key, node, namespace, name in await tx.each(_LOCK_JOBS, [key.hex() for key in sorted(missing)]):
        known.jobs[bytes.fromhex(key)] = node
        known.job_names[bytes.fromhex(key)] = Name(namespace, name)
    return known


async def name_datasets(tx: Transaction, merged: Merged, known: Known) -> None:
    """Datasets that are only named are there."""
    rows = [
        [key.hex(), *row[:2]]
        for key, row in sorted(merged.datasets.items())
        if row[2] is None and key not in known.datasets
    ]
    known.datasets.update((bytes.fromhex(key), node) for key, node in await tx.each(_NAME_DATASETS, rows))


async def _see(tx: Transaction, statement: str, rows: dict[bytes, list[Any]], nodes: dict[bytes, str]) -> set[bytes]:
    """Jobs or datasets: there, locked, first and last time widened. Returns the new ones."""
    seen = {
        key.hex(): [key.hex(), *row, keys.sort(Name(row[0], row[1])), keys.fold(row[1])]
        for key, row in sorted(rows.items())
        if row[2]
    }
    new: set[bytes] = set()
    wider: list[list[Any]] = []
    for key, node, first, last, is_new in await tx.each(statement, list(seen.values())):
        nodes[bytes.fromhex(key)] = node
        row = seen[key]
        if is_new:
            new.add(bytes.fromhex(key))
        elif first is None or row[3] < first or row[4] > last:
            wider.append([node, min(first or row[3], row[3]), max(last or row[4], row[4]), *row[5:]])
    await tx.each(_WIDEN, wider)
    return new


def _deriving(io: list[Any]) -> list[mentions.MentionFacet]:
    return [facet for facet in map(mentions.parsed, io[-1] or ()) if facet.name in DERIVING_FACETS]


def _absorb(row: list[Any], bodies: dict[str, str], merged: Merged, known: Known) -> None:
    (
        node,
        run,
        first,
        last,
        job_rank,
        job_time,
        job_event,
        job_node,
        namespace,
        name,
        states,
        io,
        made,
        said,
        changes,
    ) = row
    key, job = run_key(run), Name(namespace, name)
    if first is not None:
        merged.add([RunSeen(run, first, last)])
    merged.add([RunJob(run, job_rank, job_time, job_event, job)])
    merged.add([RunState(run, word, time) for time, word in (each.split(STATE_SEPARATOR) for each in states or ())])
    known.runs[key], known.jobs[name_key(job)] = node, job_node
    known.before[key] = RunBefore(first, name_key(job))
    for identity, kind, other, space, dataset, version, time, commit_time, at, facets in io:
        fact = RunIO(run, SIDES[kind], Name(space, dataset), version, time, commit_time)
        merged.add([fact])
        about = name_key(fact.dataset)
        known.datasets[about] = other
        known.io[key, int(fact.side), about, version] = KnownIO(identity, time, commit_time, at)
        for facet in map(mentions.parsed, facets or ()):
            said_key = (key, facet.scope, about, version, facet.name)
            _absorb_facet(said_key, run, facet, "", bodies.get(facet.value), merged, known)
    for identity, dataset, version, commit_time in made:
        known.generations[bytes.fromhex(dataset), version, key] = (identity, commit_time)
    for identity, scope, facet_name, time, event, value, body in said:
        facet = mentions.MentionFacet(scope, time, event, value, facet_name)
        _absorb_facet((key, scope, NO_KEY, "", facet_name), run, facet, identity, body, merged, known)
    known.changes.update((key, identity) for identity, key in changes)


def _absorb_facet(
    key: FacetKey,
    run: str,
    facet: mentions.MentionFacet,
    identity: str,
    body: str | None,
    merged: Merged,
    known: Known,
) -> None:
    value = None if facet.value == mentions.ABSENT else bytes.fromhex(facet.value)
    known.facets[key] = KnownFacet(identity, facet.time, bytes.fromhex(facet.event), value)
    if facet.name in DERIVING_FACETS:  # said again as the fact that it was, for what is derived from it
        _, scope, dataset, version, name = key
        owner = (run,) if dataset == NO_KEY else (run, *merged.datasets[dataset][:2], version)
        said = None if body is None else body.encode()
        merged.add([FacetSaid(Scope(scope), owner, name, facet.time, facet.event, said)])


async def _read_entity_facets(tx: Transaction, merged: Merged, known: Known, new: dict[Scope, set[bytes]]) -> None:
    """What the graph says of the facets that the batch states about jobs and datasets (which are locked)."""
    owners: dict[str, bytes] = {}
    for owner, scope, *_ in merged.facets:
        if scope in new and owner not in new[Scope(scope)]:
            owners[known.owner(scope, owner)] = owner
    for node, identity, scope, name, time, event, value, body in await tx.each(_ENTITY_FACETS, list(owners)):
        hashed = None if value == mentions.ABSENT else bytes.fromhex(value)
        key = (owners[node], scope, NO_KEY, "", name)
        known.facets[key] = KnownFacet(identity, time, bytes.fromhex(event), hashed)
        if body is not None and hashed is not None:
            merged.values.setdefault(hashed, body.encode())


# What was there is locked by setting something, and read afterwards: nobody changes it until the transaction ends.
_SEE = """
UNWIND $rows AS row
MERGE (n:{label} {{key: row[0]}})
ON CREATE SET n.namespace = row[1], n.name = row[2], n.firstTime = row[3], n.lastTime = row[4], n.sort = row[5],
    n.folded = row[6]
ON MATCH SET n.lock = true
WITH row, n
RETURN collect([row[0], elementId(n), n.firstTime, n.lastTime, n.lock IS NULL])
"""
_SEE_JOBS, _SEE_DATASETS = _SEE.format(label="Job"), _SEE.format(label="Dataset")
_WIDEN = """
UNWIND $rows AS row
MATCH (n) WHERE elementId(n) = row[0] SET n.firstTime = row[1], n.lastTime = row[2], n.sort = row[3],
    n.folded = row[4]
"""
_NAME_DATASETS = """
UNWIND $rows AS row
MERGE (n:Dataset {key: row[0]}) ON CREATE SET n.namespace = row[1], n.name = row[2]
RETURN collect([row[0], elementId(n)])
"""
_LOCK_JOBS = """
UNWIND $rows AS row
MATCH (n:Job {key: row}) SET n.lock = true
RETURN collect([n.key, elementId(n), n.namespace, n.name])
"""
_LOCK_RUNS = """
UNWIND $rows AS row
MERGE (n:Run {id: row}) ON MATCH SET n.lock = true
RETURN collect([row, elementId(n), n.jobRank IS NULL])
"""
_DERIVING = ", ".join(f"'{name}'" for name in sorted(DERIVING_FACETS))
_READ_RUNS = f"""
UNWIND $rows AS row
MATCH (n:Run) WHERE elementId(n) = row
MATCH (n)-[:RUN_OF]->(j:Job)
RETURN collect([row, n.id, n.firstTime, n.lastTime, n.jobRank, n.jobTime, n.jobEvent, elementId(j), j.namespace, j.name,
    n.states,
    [(n)-[r:READS|WRITES|NAMES]->(d:Dataset) |
        [elementId(r), type(r), elementId(d), d.namespace, d.name, r.version, r.time, r.commitTime, r.at, r.facets]],
    [(n)-[r:MADE]->(g:Generation) | [elementId(r), g.dataset, g.version, r.commitTime]],
    [(n)-[r:SAYS]->(v:Value) | [elementId(r), r.scope, r.name, r.time, r.event, v.hash,
         CASE WHEN r.name IN [{_DERIVING}] THEN v.body END]],
    [(n)-[:CAUSED]->(c:Change) | [elementId(c), c.key]]])
"""
_BODIES = "UNWIND $rows AS row MATCH (v:Value {hash: row}) RETURN collect([row, v.body])"
_ENTITY_FACETS = """
UNWIND $rows AS row
MATCH (n)-[r:SAYS]->(v:Value) WHERE elementId(n) = row
RETURN collect([row, elementId(r), r.scope, r.name, r.time, r.event, v.hash,
    CASE WHEN r.name = 'symlinks' THEN v.body END])
"""
