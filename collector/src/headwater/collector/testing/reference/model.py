"""Rules 1 to 12 and 14 to 17 of docs/semantics.md over a plain list of events: no store, no index, nothing kept.

Written from the rules alone and meant to be read beside them; it shares no code with the product. It knows well-formed
events with times in one form (``2026-01-01T00:00:00Z``), which compare as text.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import datetime, timedelta
from functools import cache
from typing import Any, NamedTuple

Event = dict[str, Any]
Name = tuple[str, str]
Generation = tuple[Name, str | None]

ORDER = ["START", "RUNNING", "INTERRUPT", "FAIL", "ABORT", "COMPLETE"]
ENDS = {"FAIL": "FAILED", "ABORT": "ABORTED", "COMPLETE": "COMPLETED"}
WINDOW = timedelta(days=30)


class Mention(NamedTuple):
    """One entry of a run event's inputs or outputs."""

    event_id: str
    time: str
    raw: Name
    version: str | None
    facets: dict[str, Any]
    own: dict[str, Any]


class Word(NamedTuple):
    """Somebody's word on a generation: withdrawn or bad, or no longer so."""

    time: str
    event_id: str
    stands: bool


class State(NamedTuple):
    state: str
    contradiction: bool
    started: str | None
    ended: str | None


class Edge(NamedTuple):
    dataset: Name
    version: str | None
    grade: str


class Model:
    """All answers that one set of events allows; ``at``: as they were at that time (rule 17)."""

    def __init__(self, events: Iterable[tuple[str, Event]], at: str | None = None) -> None:
        self.at = at
        self.events = sorted(dict(events).items(), key=lambda said: (said[1]["eventTime"], said[0]))
        # Nothing changes after this, so what was worked out once may be kept.
        kept = "names_of", "canonical", "state", "outputs", "written", "commits", "edges", "pins", "group", "words"
        for answer in kept:
            setattr(self, answer, cache(getattr(self, answer)))

    # What the events mention

    def run_events(self, run: str) -> list[tuple[str, Event]]:
        """Its own: that it fell silent is somebody else's word."""
        return [
            (key, event)
            for key, event in self.events
            if event.get("run", {}).get("runId") == run and not _silence(event)
        ]

    def past(self, at: str) -> Model:
        """The same events, asked about a time."""
        return Model(self.events, at)

    def then(self, time: str | None) -> bool:
        """Whether something of this time counts."""
        return time is not None and (self.at is None or time <= self.at)

    def runs(self) -> list[str]:
        """Runs with events of their own."""
        return sorted({event["run"]["runId"] for _, event in self.events if "run" in event})

    def jobs(self) -> list[Name]:
        return sorted({_name(event["job"]) for _, event in self.events if "run" in event})

    def mentions(self, run: str, side: str) -> list[Mention]:
        found = []
        for key, event in self.run_events(run):
            for entry in event[side]:
                facets = entry.get("facets", {})
                version = facets.get("version", {}).get("datasetVersion")
                own = entry.get("inputFacets" if side == "inputs" else "outputFacets", {})
                found.append(Mention(key, event["eventTime"], _name(entry), version, facets, own))
        return found

    def raw_names(self) -> list[Name]:
        """Every dataset name that an event lists."""
        names = {
            mention.raw for run in self.runs() for side in ("inputs", "outputs") for mention in self.mentions(run, side)
        }
        return sorted(names | {_name(event["dataset"]) for _, event in self.events if "dataset" in event})

    # Rules 1 and 2: state and times

    def state(self, run: str) -> State:
        said = {(event["eventTime"], event.get("eventType")) for _, event in self.run_events(run)}
        silences = [_silence(event) for _, event in self.events if event.get("run", {}).get("runId") == run]
        said |= {(silence["lastSeen"], "INTERRUPT") for silence in silences if silence}
        words = sorted((time, ORDER.index(word), word) for time, word in said if word in ORDER)
        state, contradiction, ended = "NEW", False, None
        for time, _, word in words:
            if state in ENDS.values():
                if word in ENDS:
                    contradiction = True
                if word == "START" and state != "COMPLETED" and time > ended:
                    state, ended = "RUNNING", None
            elif word in ENDS:
                state, ended = ENDS[word], time
            else:
                state = "INTERRUPTED" if word == "INTERRUPT" else "RUNNING"
        started = None
        for wanted in ("START", "RUNNING"):
            times = [time for time, _, word in words if word == wanted and (ended is None or time <= ended)]
            started = started or (min(times) if times else None)
        return State(state, contradiction, started, ended)

    def first_time(self, run: str) -> str:
        return str(min(event["eventTime"] for _, event in self.run_events(run)))

    def begin(self, run: str) -> str:
        """Where rule 6 looks: started, else the first event."""
        return self.state(run).started or self.first_time(run)

    # Rule 3: facets of a run

    def run_facet(self, run: str, name: str) -> dict[str, Any] | None:
        said = [event["run"].get("facets", {}).get(name) for _, event in self.run_events(run)]
        return _latest(said)

    def job_facet(self, run: str, name: str) -> dict[str, Any] | None:
        return _latest([event["job"].get("facets", {}).get(name) for _, event in self.run_events(run)])

    def output_facet(self, run: str, dataset: Name, version: str, name: str) -> dict[str, Any] | None:
        """What was said with this version, or with none."""
        return _latest(
            [
                mention.facets.get(name)
                for mention in self.mentions(run, "outputs")
                if self.canonical(mention.raw) == dataset and mention.version in (None, version)
            ]
        )

    def job_of(self, run: str) -> Name:
        return _name(self.run_events(run)[-1][1]["job"])

    # Rule 10: identity

    def group(self, raw: Name) -> frozenset[Name]:
        """The names that symlinks join to this one."""
        pairs = [(name, other) for name, others in self.symlinks().items() for other in others]
        group = {raw}
        while True:
            more = {b for a, b in pairs if a in group} | {a for a, b in pairs if b in group}
            if more <= group:
                return frozenset(group)
            group |= more

    def symlinks(self) -> dict[Name, list[Name]]:
        """By name, the names of its latest symlinks facet."""
        said: dict[Name, dict[str, Any]] = {}
        for _, event in self.events:
            entries = (
                [event["dataset"]]
                if "dataset" in event
                else event["inputs"] + event["outputs"]
                if "run" in event
                else []
            )
            for entry in entries:
                if "symlinks" in entry.get("facets", {}):
                    said[_name(entry)] = entry["facets"]["symlinks"]
        return {
            name: [_name(other) for other in facet["identifiers"]]
            for name, facet in said.items()
            if not facet.get("_deleted")
        }

    def renames(self) -> dict[Name, Name]:
        """Old name to new name, the latest where there are several."""
        found = sorted((time, previous, raw) for raw, time, change, previous in self.changes() if change == "RENAME")
        return {previous: raw for _, previous, raw in found if previous}

    def canonical(self, raw: Name) -> Name:
        renamed = self.renames()
        while raw in renamed:
            raw = renamed[raw]
        group = self.group(raw)
        carriers = [name for name in group if name in self.symlinks()]
        return min(carriers) if carriers else raw

    def names_of(self, dataset: Name) -> list[Name]:
        return [raw for raw in self.raw_names() if self.canonical(raw) == dataset]

    def datasets(self) -> list[Name]:
        return sorted({self.canonical(raw) for raw in self.raw_names()})

    def changes(self) -> Iterator[tuple[Name, str, str, Name | None]]:
        """Lifecycle changes that happened: (name, time, change, previous name)."""
        for _, event in self.events:
            facet = event.get("dataset", {}).get("facets", {}).get("lifecycleStateChange")
            if facet:
                yield _name(event["dataset"]), event["eventTime"], facet["lifecycleStateChange"], _previous(facet)
        for run in self.runs():
            for mention in self.mentions(run, "outputs"):
                facet = mention.facets.get("lifecycleStateChange")
                time = self.commit_time(run, [mention]) if facet else None
                if facet and time:
                    yield mention.raw, time, facet["lifecycleStateChange"], _previous(facet)

    def deleted(self, dataset: Name) -> bool:
        drops = [time for raw, time, change, _ in self.changes() if change == "DROP" and self.canonical(raw) == dataset]
        writes = [time for time, _, _ in self.commits(dataset)]
        return bool(drops) and not any(write > max(drops) for write in writes)

    # Rules 4 and 5: commits and generations

    def commit_time(self, run: str, mentions: list[Mention]) -> str | None:
        """When an output with these mentions was committed, if it was."""
        marks = [mention.time for mention in mentions if "headwater_commit" in mention.own]
        if marks:
            return min(marks)
        if any("headwater_commit" in mention.own for mention in self.mentions(run, "outputs")):
            return None
        state = self.state(run)
        return state.ended if state.state == "COMPLETED" else None

    def outputs(self, run: str) -> frozenset[Name]:
        return frozenset(self.canonical(mention.raw) for mention in self.mentions(run, "outputs"))

    def written(self, run: str) -> list[tuple[Name, str, str | None]]:
        """The generations that a run wrote: (dataset, version, commit time or None)."""
        found: list[tuple[Name, str, str | None]] = []
        for dataset in sorted(self.outputs(run)):
            mentions = [one for one in self.mentions(run, "outputs") if self.canonical(one.raw) == dataset]
            changes = [_latest([m.facets.get("lifecycleStateChange")]) for m in mentions]
            if any(change and change["lifecycleStateChange"] in ("DROP", "RENAME") for change in changes):
                continue
            bare = [one for one in mentions if one.version is None]
            declaring = {one.raw for one in mentions if one.version is not None}
            for version in sorted(self.claimed(mentions)):
                same = [one for one in mentions if one.version == version]
                names = {one.raw for one in same}
                handed = [one for one in bare if one.raw in names or one.raw not in declaring]
                found.append((dataset, version, self.commit_time(run, same + handed)))
            if len(bare) == len(mentions):
                found.append((dataset, "~" + run, self.commit_time(run, bare)))
        return [(dataset, version, time if self.then(time) else None) for dataset, version, time in found]

    def claimed(self, mentions: list[Mention]) -> set[str]:
        """The versions that a run claims of one output, of all it declared: under each name those marked as committed,
        and of the others the one said last, going by when each was said first."""
        found = set()
        for raw in {one.raw for one in mentions}:
            ours = [one for one in mentions if one.raw == raw]
            said = {one.version: one.time for one in reversed(ours) if one.version is not None}
            marked = {one.version for one in ours if "headwater_commit" in one.own}
            found |= {
                version
                for version, time in said.items()
                if version in marked or None in marked or time == max(said.values())
            }
        return found

    def commits(self, dataset: Name) -> list[tuple[str, str, str]]:
        """(commit time, version, run) of a dataset, in order."""
        return sorted(
            (time, version, run)
            for run in self.runs()
            for name, version, time in self.written(run)
            if name == dataset and time is not None
        )

    def committers(self, dataset: Name, version: str | None) -> list[str]:
        return sorted({run for _, found, run in self.commits(dataset) if found == version})

    def committed(self, dataset: Name) -> list[str]:
        """Versions by commit time."""
        times: dict[str, str] = {}
        for time, version, _ in self.commits(dataset):
            times[version] = max(time, times.get(version, ""))
        return sorted(times, key=lambda version: (times[version], version))

    def candidates(self, dataset: Name) -> set[str]:
        written = {version for run in self.runs() for name, version, _ in self.written(run) if name == dataset}
        return written - set(self.committed(dataset))

    def current(self, dataset: Name) -> str | None:
        committed = [version for version in self.committed(dataset) if not self.holds("withdrawn", dataset, version)]
        return committed[-1] if committed else None

    # Rules 14 and 15: withdrawn and bad generations

    def words(self, kind: str, dataset: Name, version: str) -> list[Word]:
        """All that was said, in order."""
        found = []
        for key, event in self.events:
            for entry in [event["dataset"]] if "dataset" in event else event["inputs"] if "run" in event else []:
                facet = entry.get("facets", {}).get({"withdrawn": "headwater_withdrawal", "bad": "headwater_bad"}[kind])
                about = facet and version in facet["generations"] and self.canonical(_name(entry)) == dataset
                if about and self.then(event["eventTime"]):
                    found.append(Word(event["eventTime"], key, facet.get(kind, True)))
        return found

    def last(self, kind: str, dataset: Name, version: str, at: str | None = None) -> Word | None:
        said = [word for word in self.words(kind, dataset, version) if at is None or word.time <= at]
        return said[-1] if said else None

    def holds(self, kind: str, dataset: Name, version: str, at: str | None = None) -> bool:
        word = self.last(kind, dataset, version, at)
        return word is not None and word.stands

    def marked(self, kind: str, dataset: Name) -> set[str]:
        return {version for version in self.committed(dataset) if self.holds(kind, dataset, version)}

    def tainted(self, start: Generation) -> set[Generation]:
        """What was made from a bad generation, other than through one that was cleared since."""
        dataset, version = start
        bad = self.last("bad", dataset, version or "")
        if bad is None or not bad.stands:
            return set()

        def cleared(generation: Generation) -> bool:
            word = self.last("bad", generation[0], generation[1] or "")
            return word is not None and not word.stands and word.time >= bad.time

        return set(_walk(start, lambda node: [(g, grade) for g, grade in self.made_from(node) if not cleared(g)]))

    def tainted_by(self, start: Generation) -> set[Generation]:
        return {source for source in self.upstream(start) if start in self.tainted(source)}

    # Rule 6: pins

    def pins(self, run: str, dataset: Name) -> list[tuple[str | None, str]]:
        """(version, grade) of one input, whether the run lists it or only a lineage facet names it."""
        declared = {
            mention.version
            for mention in self.mentions(run, "inputs")
            if self.canonical(mention.raw) == dataset and mention.version is not None
        }
        if declared:
            return [(version, "declared") for version in sorted(declared)]
        own = {version for name, version, _ in self.written(run) if name == dataset}
        before = [
            (time, version)
            for time, version, _ in self.commits(dataset)
            if time <= self.begin(run)
            and version not in own
            and not self.holds("withdrawn", dataset, version, self.begin(run))
        ]
        return [(max(before)[1], "inferred")] if before else [(None, "unknown")]

    def inputs(self, run: str) -> set[tuple[Name, str | None, str]]:
        listed = {self.canonical(mention.raw) for mention in self.mentions(run, "inputs")}
        return {(dataset, version, grade) for dataset in listed for version, grade in self.pins(run, dataset)}

    # Rule 7: edges

    def edges(self, run: str, dataset: Name, version: str) -> frozenset[Edge]:
        listed = {name for name, _, _ in self.inputs(run)}
        explicit = self.explicit_sources(run, dataset, version)
        if explicit is not None:
            return self.with_pins(run, explicit, "declared")
        columns = self.output_facet(run, dataset, version, "columnLineage")
        if columns is not None:
            named = {self.canonical(_name(source)) for source in _column_sources(columns)}
            anywhere = {
                self.canonical(one.raw)
                for r in self.runs()
                for s in ("inputs", "outputs")
                for one in self.mentions(r, s)
            }
            return self.with_pins(run, named & anywhere, "declared") | self.with_pins(run, listed - named, "unknown")
        return self.with_pins(run, listed, "sole" if len(self.outputs(run)) == 1 else "unknown")

    def explicit_sources(self, run: str, dataset: Name, version: str) -> set[Name] | None:
        entries = (self.job_facet(run, "lineage") or {"entries": []})["entries"]
        lists = [entry["inputs"] for entry in entries if self.canonical(_name(entry)) == dataset]
        own = self.output_facet(run, dataset, version, "lineage")
        lists += [own["inputs"]] if own else []
        return {self.canonical(_name(source)) for sources in lists for source in sources} if lists else None

    def with_pins(self, run: str, datasets: Iterable[Name], grade: str) -> frozenset[Edge]:
        return frozenset(Edge(name, version, grade) for name in datasets for version, _ in self.pins(run, name))

    def edges_of(self, generation: Generation) -> set[Edge]:
        """Edges of a committed generation; of all who claim it, where several do."""
        dataset, version = generation
        return {edge for run in self.committers(dataset, version) for edge in self.edges(run, dataset, version or "")}

    # Rule 8: current edges of a job

    def job_edges(self, job: Name) -> tuple[set[Name], set[Name]]:
        ours = [run for run in self.runs() if self.job_of(run) == job]
        named = [run for run in ours if self.mentions(run, "inputs") or self.mentions(run, "outputs")]
        latest = max((self.first_time(run) for run in named), default=None)
        inputs: set[Name] = set()
        outputs: set[Name] = set()
        for run in named:
            if latest and _date(latest) - _date(self.first_time(run)) <= WINDOW:
                inputs |= {self.canonical(mention.raw) for mention in self.mentions(run, "inputs")}
                outputs |= self.outputs(run)
        return inputs, outputs

    # Rule 9: parents

    def parent(self, run: str) -> str | None:
        facet = self.run_facet(run, "parent")
        return facet["run"]["runId"] if facet else None

    # Rule 11: logical runs

    def logical_key(self, run: str) -> str | None:
        attempt, nominal = self.run_facet(run, "headwater_attempt"), self.run_facet(run, "nominalTime")
        if attempt:
            return str(attempt["logicalKey"])
        return "/".join((*self.job_of(run), nominal["nominalStartTime"])) if nominal else None

    def attempts(self, key: str) -> list[str]:
        ours = [run for run in self.runs() if self.logical_key(run) == key and self.then(self.first_time(run))]
        return sorted(ours, key=lambda run: (self.first_time(run), run))

    def attempt(self, run: str) -> int | None:
        key = self.logical_key(run)
        return self.attempts(key).index(run) + 1 if key else None

    def winner(self, key: str) -> str | None:
        commits = [
            (time, run)
            for run in self.attempts(key)
            for dataset, version, time in self.written(run)
            if time and not self.holds("withdrawn", dataset, version)
        ]
        return max(commits)[1] if commits else None

    def publication(self, key: str) -> set[Generation]:
        """What the winner published, as far as it stands."""
        winner = self.winner(key)
        return {
            (dataset, version)
            for dataset, version, time in (self.written(winner) if winner else [])
            if time and not self.holds("withdrawn", dataset, version)
        }

    def changed(self, key: str) -> set[Name]:
        """Inputs whose versions differ between the attempts that named any."""
        found = set()
        runs = [run for run in self.attempts(key) if self.inputs(run)]
        for dataset in {name for run in runs for name, _, _ in self.inputs(run)}:
            versions = {frozenset(version for name, version, _ in self.inputs(run) if name == dataset) for run in runs}
            if len(versions) > 1:
                found.add(dataset)
        return found

    # Rule 12: walks

    def generations(self) -> list[Generation]:
        return [(dataset, version) for dataset in self.datasets() for version in self.committed(dataset)]

    def upstream(self, start: Generation) -> dict[Generation, tuple[int, bool]]:
        return _walk(start, lambda node: [((e.dataset, e.version), e.grade) for e in self.edges_of(node)])

    def downstream(self, start: Generation) -> dict[Generation, tuple[int, bool]]:
        return _walk(start, self.made_from)

    def made_from(self, node: Generation) -> list[tuple[Generation, str]]:
        """(generation, grade) of what was made directly from this one."""
        return [(g, e.grade) for g in self.generations() for e in self.edges_of(g) if (e.dataset, e.version) == node]


def _walk(start: Generation, next_of: Any) -> dict[Generation, tuple[int, bool]]:
    """Generation to (least distance, only over an unknown edge); one without a version ends the walk."""
    distances = _distances(start, next_of, {"declared", "sole", "unknown"})
    certain = _distances(start, next_of, {"declared", "sole"})
    return {node: (far, node not in certain) for node, far in distances.items() if node != start}


def _distances(start: Generation, next_of: Any, grades: set[str]) -> dict[Generation, int]:
    found, level, far = {start: 0}, [start], 0
    while level:
        far += 1
        after = [other for node in level if node[1] is not None for other, grade in next_of(node) if grade in grades]
        level = [node for node in dict.fromkeys(after) if node not in found]
        found |= dict.fromkeys(level, far)
    return found


def _name(entry: Event) -> Name:
    return entry["namespace"], entry["name"]


def _silence(event: Event) -> dict[str, Any] | None:
    """What a stale policy says of the run, where this is such an event."""
    facet: dict[str, Any] | None = event.get("run", {}).get("facets", {}).get("headwater_interrupted")
    return facet


def _previous(facet: dict[str, Any]) -> Name | None:
    return _name(facet["previousIdentifier"]) if "previousIdentifier" in facet else None


def _latest(said: list[Any]) -> dict[str, Any] | None:
    """The last of what was said, in order of (event time, event id); None where `_deleted` came last."""
    values = [value for value in said if value is not None]
    return None if not values or values[-1].get("_deleted") else values[-1]


def _column_sources(facet: dict[str, Any]) -> list[dict[str, Any]]:
    named = [source for column in facet.get("fields", {}).values() for source in column["inputFields"]]
    return [*named, *facet.get("dataset", [])]


def _date(text: str) -> datetime:
    return datetime.fromisoformat(text)
