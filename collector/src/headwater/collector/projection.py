"""What an event means: ``project(event)`` turns it into base facts. Pure, total, no I/O.

The rules are those of docs/semantics.md; all meaning on the way in stands here, stores only upsert facts.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple, TypeAlias

from headwater.collector.catalog import ANNOTATION_FACET, DELETED_FACET, as_of
from headwater.collector.facet_checks import checked_facet, is_text
from headwater.collector.facts import (
    DatasetSeen,
    DesignIO,
    FacetSaid,
    Fact,
    JobSeen,
    Lifecycle,
    Mark,
    Problem,
    Projection,
    RunIO,
    RunJob,
    RunSeen,
    RunState,
    Scope,
    Side,
)
from headwater.collector.interruption import INTERRUPT, INTERRUPTED_FACET, silent_since
from headwater.collector.marks import MARKING, marks_of
from headwater.collector.wants import WANT_FACET, WANTING, WANTS_NAMESPACE, links_of, said_of, word_of
from headwater.shared import times
from headwater.shared.codec import canonical_json, run_uuid
from headwater.shared.event import STATE_TYPES, DatasetMention, LineageEvent, Name

COMMIT_FACET = "headwater_commit"
_STATES = frozenset(STATE_TYPES)
_STEERING = frozenset({ANNOTATION_FACET, DELETED_FACET, *MARKING})
_Owner: TypeAlias = tuple[Scope, tuple[str, ...]]
_new = tuple.__new__
"""Makes a fact without the function that NamedTuple wraps around this: half the cost, twenty times an event."""


class _Words(NamedTuple):
    """What one side of an event is called."""

    side: Side
    scope: Scope
    own_scope: Scope
    key: str
    own_key: str


_SIDES = (
    _Words(Side.INPUT, Scope.INPUT, Scope.INPUT_OWN, "inputs", "inputFacets"),
    _Words(Side.OUTPUT, Scope.OUTPUT, Scope.OUTPUT_OWN, "outputs", "outputFacets"),
)


def project(event: LineageEvent) -> Projection:
    """The facts of one event, each key once, and the problems of the parts that could not be read."""
    said = _Said(event)
    if event.kind == "run":
        _run_event(event, said)
    elif event.kind == "job":
        _job_event(event, said)
    else:
        _dataset_event(event, said)
    return Projection(said.facts, said.problems)


class _Said:
    """Collects facts and problems of one event."""

    __slots__ = ("aliased", "event_id", "facts", "problems", "time")

    def __init__(self, event: LineageEvent) -> None:
        self.aliased = False
        """Whether a symlinks facet named a dataset, which may be mentioned too."""
        self.facts: list[Fact] = []
        self.problems: list[Problem] = []
        self.time, self.event_id = event.event_time, event.event_id

    def facets(
        self, facets: dict[str, Any], where: str, *owners: _Owner, deletable: bool = True
    ) -> dict[str, dict[str, Any]]:
        """States each facet about each owner; returns the readable ones."""
        readable: dict[str, dict[str, Any]] = {}
        stated: list[tuple[str, bytes | None]] = []
        for name, value in facets.items():
            if value is None:
                continue
            if type(value) is not dict:
                self.problems.append(Problem(f"{where}/{name}", "a facet must be an object"))
                continue
            if name in _STEERING:
                self._steered(name, facets, where, owners)
                continue
            said: bytes | None = None
            if not (deletable and value.get("_deleted") is True):
                checked = checked_facet(name, value)
                if not isinstance(checked, bytes):
                    self.problems.append(Problem(f"{where}/{name}{checked[0]}", checked[1]))
                    continue
                readable[name], said = value, checked
            stated.append((name, said))
        time, event_id = self.time, self.event_id
        for scope, owner in owners:
            self.facts += [_new(FacetSaid, (scope, owner, name, time, event_id, said)) for name, said in stated]
        return readable

    def _steered(self, name: str, facets: dict[str, Any], where: str, owners: tuple[_Owner, ...]) -> None:
        """A deletion counts as said at the time up to which it deletes, so of several the one that reaches furthest
        holds, and nothing takes it back but a sign of life. An annotation is no fact. A mark is one about generations.
        """
        if name in MARKING:
            self._marked(name, facets, where, owners)
            return
        time = as_of(facets, name)
        if time is None:
            self.problems.append(Problem(f"{where}/{name}/asOf", "must be an ISO 8601 time"))
        elif name == DELETED_FACET:
            said = canonical_json({"asOf": time})
            self.facts += [FacetSaid(scope, owner, name, time, self.event_id, said) for scope, owner in owners]

    def _marked(self, name: str, facets: dict[str, Any], where: str, owners: tuple[_Owner, ...]) -> None:
        dataset = next((Name(*owner) for scope, owner in owners if scope is Scope.DATASET), None)
        if dataset is None:
            self.problems.append(Problem(f"{where}/{name}", "is a facet of datasets"))
            return
        try:
            said = marks_of(name, facets[name], dataset, declared_version(facets), self.time, self.event_id)
            self.facts += list(said)
        except ValueError as wrong:
            self.problems.append(Problem(f"{where}/{name}{wrong.args[0]}", wrong.args[1]))


def _run_event(event: LineageEvent, said: _Said) -> None:
    run, job, time, add = event.run_id, event.job, event.event_time, said.facts.append
    assert run is not None  # the codec's promise for a run event
    assert job is not None
    if _interrupts(event, said, run, job):
        return
    add(RunSeen(run, time, time))
    add(RunJob(run, 1, time, event.event_id, job))
    add(JobSeen(job, time, time))
    if event.event_type in _STATES:
        add(RunState(run, str(event.event_type), time))
    run_facets = said.facets(
        _object(event.body["run"], "facets", said, "/run"), "/run/facets", (Scope.RUN, (run,)), deletable=False
    )
    job_facets = said.facets(
        _object(event.body["job"], "facets", said, "/job"), "/job/facets", (Scope.RUN_JOB, (run,)), (Scope.JOB, job)
    )
    if not WANTING.isdisjoint(run_facets):
        if word := word_of(event.event_type, run_facets):
            add(RunState(run, word, time))
        said.facts += links_of(run, run_facets, time, event.event_id)
    if parent := run_facets.get("parent"):
        _named_runs(parent, run, said)
    named = set(_sources_of_entries(job_facets.get("lineage")))
    for words, mentions in zip(_SIDES, (event.inputs, event.outputs), strict=True):
        for index, mention in enumerate(mentions):
            named.update(_mention(said, run, words, mention, f"/{words.key}/{index}"))
    for name in named.difference(mention.name for mention in event.inputs):
        add(RunIO(run, Side.NAMED, name, "", time, None))
    mentioned = [mention.name for mention in (*event.inputs, *event.outputs)]
    if said.aliased or len(set(mentioned)) < len(mentioned):
        said.facts = _each_key_once(said.facts)


def _interrupts(event: LineageEvent, said: _Said, run: str, job: Name) -> bool:
    """Whether the event says nothing but that the run fell silent, which is no sign of its life. What it lists is not
    looked at."""
    facets = event.body["run"].get("facets")
    facet = facets.get(INTERRUPTED_FACET) if type(facets) is dict else None
    if type(facet) is not dict:
        return False
    since = silent_since(facet)
    if since is None:
        said.problems.append(Problem(f"/run/facets/{INTERRUPTED_FACET}/lastSeen", "must be an ISO 8601 time"))
        return True
    said.facts.append(RunJob(run, 0, since, event.event_id, job))
    said.facts.append(JobSeen(job, since, since))
    said.facts.append(RunState(run, INTERRUPT, since))
    said.facets({INTERRUPTED_FACET: facet}, "/run/facets", (Scope.RUN, (run,)), deletable=False)
    return True


def _mention(said: _Said, run: str, words: _Words, mention: DatasetMention, where: str) -> list[Name]:
    """One input or output of a run event; returns the sources that lineage facets of an output name."""
    name = mention.name
    version = declared_version(mention.facets)
    owner = (run, name.namespace, name.name, version)
    facets = said.facets(mention.facets, f"{where}/facets", (words.scope, owner), (Scope.DATASET, name))
    own = said.facets(mention.own_facets, f"{where}/{words.own_key}", (words.own_scope, owner))
    is_output = words.side is Side.OUTPUT
    commit_time = said.time if is_output and COMMIT_FACET in own else None
    said.facts.append(_new(RunIO, (run, words.side, name, version, said.time, commit_time)))
    said.facts.append(_new(DatasetSeen, (name, said.time, said.time)))
    _other_names(facets, name, said)
    if not is_output:
        return []
    return [*_sources_of_columns(facets.get("columnLineage")), *_sources_of_entry(facets.get("lineage"))]


def declared_version(facets: dict[str, Any]) -> str:
    """The version that a mention's facets declare, or ``""``."""
    facet = facets.get("version")
    value = facet.get("datasetVersion") if type(facet) is dict and facet.get("_deleted") is not True else None
    if type(value) is int:
        return str(value)
    return value if isinstance(value, str) and is_text(value) else ""


def _named_runs(parent: dict[str, Any], run: str, said: _Said) -> None:
    """The parent and the root exist, of the jobs that the facet names; their own events say more."""
    seen = {run}
    for link in (parent, parent.get("root")):
        if not link or not link.get("job"):
            continue
        named = run_uuid(link["run"]["runId"])
        if named in seen:
            continue
        seen.add(named)
        job = Name(link["job"]["namespace"], link["job"]["name"])
        said.facts.append(RunJob(named, 0, said.time, said.event_id, job))
        said.facts.append(JobSeen(job, said.time, said.time))


def _job_event(event: LineageEvent, said: _Said) -> None:
    job, time = event.job, event.event_time
    assert job is not None
    facets = _object(event.body["job"], "facets", said, "/job")
    seen = _seen_time(facets, said)
    said.facts.append(JobSeen(job, seen, seen))
    said.facets(facets, "/job/facets", (Scope.JOB, job))
    mentioned: list[Name] = []
    for words, mentions in zip(_SIDES, (event.inputs, event.outputs), strict=True):
        if event.body.get(words.key) is None:
            continue  # not said, which is not the same as said to be none
        for index, mention in enumerate(mentions):
            said.facts.append(DatasetSeen(mention.name, time, time))
            facets = said.facets(mention.facets, f"/{words.key}/{index}/facets", (Scope.DATASET, mention.name))
            _other_names(facets, mention.name, said)
        names = tuple(sorted({mention.name for mention in mentions}))
        said.facts.append(DesignIO(job, words.side, time, event.event_id, names))
        mentioned.extend(mention.name for mention in mentions)
    if said.aliased or len(set(mentioned)) < len(mentioned):
        said.facts = _each_key_once(said.facts)


def _dataset_event(event: LineageEvent, said: _Said) -> None:
    dataset = event.dataset
    assert dataset is not None
    if dataset.name.namespace == WANTS_NAMESPACE:
        _want(dataset, said)
        return
    seen = _seen_time(dataset.facets, said)
    said.facts.append(DatasetSeen(dataset.name, seen, seen))
    facets = said.facets(dataset.facets, "/dataset/facets", (Scope.DATASET, dataset.name))
    _other_names(facets, dataset.name, said)
    if change := facets.get("lifecycleStateChange"):
        previous = change.get("previousIdentifier")
        name = Name(previous["namespace"], previous["name"]) if previous else None
        said.facts.append(Lifecycle(dataset.name, event.event_time, change["lifecycleStateChange"].upper(), name))
    if said.aliased:
        said.facts = _each_key_once(said.facts)


def _want(dataset: DatasetMention, said: _Said) -> None:
    """The event says nothing but what is wanted: a want is no dataset, and no facet of one."""
    where, facet = f"/dataset/facets/{WANT_FACET}", dataset.facets.get(WANT_FACET)
    if facet is None:
        said.problems.append(Problem("/dataset/facets", f"must hold {WANT_FACET} in this namespace"))
        return
    if type(facet) is not dict or facet.get("_deleted") is True:
        said.problems.append(Problem(where, "must be an object, and cannot be taken back"))
        return
    checked = checked_facet(WANT_FACET, facet)
    if isinstance(checked, bytes):
        said.facts.append(said_of(dataset.name.name, facet, said.time, said.event_id))
    else:
        said.problems.append(Problem(f"{where}{checked[0]}", checked[1]))


def _seen_time(facets: dict[str, Any], said: _Said) -> str:
    """When the subject counts as seen: at the event's time, unless the event only annotates it."""
    return as_of(facets, ANNOTATION_FACET) or said.time


def _other_names(facets: dict[str, Any], name: Name, said: _Said) -> None:
    """The identifiers of a symlinks facet are datasets that exist, under another name."""
    symlinks = facets.get("symlinks")
    for identifier in (symlinks.get("identifiers") or ()) if symlinks else ():
        other = Name(identifier["namespace"], identifier["name"])
        if other != name:
            said.aliased = True
            said.facts.append(DatasetSeen(other, said.time, said.time))


def _object(holder: dict[str, Any], key: str, said: _Said, where: str) -> dict[str, Any]:
    value = holder.get(key)
    if value is None:
        return {}
    if type(value) is not dict:
        said.problems.append(Problem(f"{where}/{key}", "facets must be an object"))
        return {}
    return value


def _sources_of_columns(facet: dict[str, Any] | None) -> Iterator[Name]:
    if not facet:
        return
    for field in (facet.get("fields") or {}).values():
        for source in field.get("inputFields") or ():
            yield Name(source["namespace"], source["name"])
    for source in facet.get("dataset") or ():
        yield Name(source["namespace"], source["name"])


def _sources_of_entries(facet: dict[str, Any] | None) -> Iterator[Name]:
    for entry in (facet or {}).get("entries") or ():
        yield from _sources_of_entry(entry)


def _sources_of_entry(entry: dict[str, Any] | None) -> Iterator[Name]:
    if not entry:
        return
    lists: Iterable[Any] = [entry, *(entry.get("fields") or {}).values()]
    for holder in lists:
        for source in holder.get("inputs") or ():
            if source.get("type") != "JOB":
                yield Name(source["namespace"], source["name"])


def _each_key_once(facts: list[Fact]) -> list[Fact]:
    """An event may list one dataset twice, with different facets (Iceberg's drop_table does): the last one is kept,
    and a commit mark on either counts."""
    kept: dict[tuple[object, ...], Fact] = {}
    for fact in facts:
        key: tuple[object, ...]
        if isinstance(fact, FacetSaid):
            key = (FacetSaid, fact.scope, fact.owner, fact.name)
        elif isinstance(fact, RunIO):
            key = (RunIO, fact.side, fact.dataset, fact.version)
            before = kept.get(key)
            if isinstance(before, RunIO) and before.commit_time:
                continue
        elif isinstance(fact, Mark):
            key = (Mark, *fact[:3])
        else:
            key = (type(fact), fact)
        kept[key] = fact
    return list(kept.values())


def nominal_start(facet: dict[str, Any] | None) -> str | None:
    """The canonical nominal start of a readable nominalTime facet."""
    return times.parse(facet["nominalStartTime"]) if facet else None
