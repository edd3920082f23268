"""One run: its facts sorted out, and what follows from them."""

from __future__ import annotations

from typing import Any, NamedTuple

import orjson

from headwater.collector.derive.logical import logical_key
from headwater.collector.derive.outputs import Mention, derive_written
from headwater.collector.derive.state import derive_state
from headwater.collector.facts import FacetSaid, RunIO, RunJob, RunSeen, RunState, Scope, Side
from headwater.collector.merging.keys import NO_KEY, name_key
from headwater.collector.projection import nominal_start
from headwater.collector.stores.reading import IO, Claim, Facets, OutputFacet, RunFacts, RunRow
from headwater.shared.codec import run_uuid
from headwater.shared.event import Name


class Change(NamedTuple):
    """A dataset was dropped, renamed or otherwise changed as such."""

    dataset: Name
    time: str
    change: str
    previous: Name | None


class RunView(NamedTuple):
    """All about one run."""

    facts: RunFacts
    row: RunRow
    pin_time: str | None
    io: tuple[RunIO, ...]
    claims: tuple[Claim, ...]
    changes: tuple[Change, ...]


class RunParts:
    """The facts of one run, in any order."""

    def __init__(self) -> None:
        self._seen: RunSeen | None = None
        self._job: RunJob | None = None
        self._states: list[RunState] = []
        self._io: list[RunIO] = []
        self.said: list[FacetSaid] = []

    def add(self, fact: RunSeen | RunJob | RunState | RunIO) -> None:
        match fact:
            case RunSeen():
                self._seen = fact
            case RunJob():
                self._job = fact
            case RunState():
                self._states.append(fact)
            case RunIO():
                self._io.append(fact)

    def view(self, run: str) -> RunView:
        facts = self._facts(run)
        state = derive_state(facts.states)
        pin_time = state.started or facts.first_time
        parent = facts.facets.get("parent") or {}
        row = RunRow(
            run, facts.job, state.state, state.contradiction, state.started, state.ended, facts.first_time,
            facts.last_time, logical_key(facts.job, facts.facets), nominal_start(facts.facets.get("nominalTime")),
            _linked(parent, run), _linked(parent.get("root"), run),
        )  # fmt: skip
        outputs = [
            Mention(io.dataset, io.version, io.commit_time, io.time) for io in self._io if io.side is Side.OUTPUT
        ]
        lifecycle = _lifecycle(facts.output_facets)
        written, changed = derive_written(run, outputs, state, lifecycle)
        claims = tuple(Claim(each.dataset, each.version, run, each.commit_time) for each in written)
        changes = {
            Change(each.dataset, each.commit_time, *lifecycle[each.dataset]) for each in changed if each.commit_time
        }
        return RunView(facts, row, pin_time, tuple(self._io), claims, tuple(changes))

    def _facts(self, run: str) -> RunFacts:
        by_scope: dict[Scope, Facets] = {Scope.RUN: {}, Scope.RUN_JOB: {}}
        of_io: dict[tuple[Scope, Name, str], Facets] = {}
        outputs: list[OutputFacet] = []
        for scope, owner, name, time, event_id, raw in self.said:
            value = None if raw is None else orjson.loads(raw)
            about = (scope, Name(*owner[1:3]), owner[3]) if scope >= Scope.INPUT else None
            if about and scope is Scope.OUTPUT:
                outputs.append(OutputFacet(about[1], about[2], name, (time, event_id), value))
            if value is not None:
                holder = of_io.setdefault(about, {}) if about else by_scope[scope]
                holder[name] = value
        return RunFacts(
            run,
            self._job and self._job.job,
            self._seen and self._seen.first_time,
            self._seen and self._seen.last_time,
            tuple((state.type, state.time) for state in self._states),
            tuple(IO(io.side, io.dataset, io.version, io.commit_time) for io in self._io),
            by_scope[Scope.RUN],
            by_scope[Scope.RUN_JOB],
            of_io,
            tuple(outputs),
            self._job and self._job.time,
        )


def _linked(link: dict[str, Any] | None, own: str) -> str | None:
    """A run that names itself has no parent (rule 9)."""
    run = run_uuid(link["run"]["runId"]) if link else None
    return None if run == own else run


def _lifecycle(said: tuple[OutputFacet, ...]) -> dict[Name, tuple[str, Name | None]]:
    """Outputs that were dropped or renamed, which publishes no generation (rule 10); of several changes of one output
    the greatest, as the other stores have it."""
    found: dict[Name, tuple[str, bytes, Name | None]] = {}
    for facet in said:
        if facet.name == "lifecycleStateChange" and facet.value is not None:
            change = facet.value["lifecycleStateChange"].upper()
            before = facet.value.get("previousIdentifier")
            previous = Name(before["namespace"], before["name"]) if before else None
            if change in ("DROP", "RENAME"):
                this = (change, NO_KEY if previous is None else name_key(previous), previous)
                found[facet.dataset] = max(found.get(facet.dataset, this), this, key=lambda each: each[:2])
    return {dataset: (change, previous) for dataset, (change, _, previous) in found.items()}
