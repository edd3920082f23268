"""Fetches facts in bulk for one question and remembers them: one fetch of each kind for each level of a walk."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import Literal, NamedTuple

from headwater.collector.derive.edges import Source, derive_edges, inputs_of, names_in
from headwater.collector.derive.identity import Identity, canonical_name, components, without_twins
from headwater.collector.derive.marks import Standing, standing_of
from headwater.collector.derive.state import StateView, derive_state, state_by
from headwater.collector.facts import Mark, Side
from headwater.collector.questions.remembering import RememberingReader
from headwater.collector.stores.reading import Claim, Link, PinQuery, Reader, RunFacts, RunFilter, RunRow
from headwater.shared.event import Name

PinGrade = Literal["declared", "inferred", "unknown"]

WALK_FACETS = frozenset({"lineage", "columnLineage"})
"""All that a walk reads of a run's facets."""

MAX_ATTEMPTS = 1000
"""Attempts of one logical run that an answer lists."""
_LAST = "\U0010ffff"
"""Greater than every time and version."""
_NOTHING_SAID = Standing()
_TWINS = 20
"""Claims fetched at a time where names of one dataset disagree."""


class Pin(NamedTuple):
    """Which generation of a dataset a run read; ``version`` None where nothing tells."""

    dataset: Name
    version: str | None
    grade: PinGrade


class PinnedEdge(NamedTuple):
    """An edge with its pin."""

    source: Source
    pin: Pin


class Lookup:
    """One question's view of the store. Names are canonical in what it returns.

    ``at``: a past moment (canonical). What was committed or said of a generation later than that does not count; a
    name, and what a run says of its own reads and writes, is taken as it is known now (rule 17).
    """

    def __init__(self, reader: Reader, at: str | None = None) -> None:
        self.reader, self.at = reader, at
        self._standing: dict[tuple[Name, str], Standing] = {}
        self._attempts: dict[str, list[RunRow]] = {}
        self._pins: dict[tuple[str, Name, str], Pin] = {}
        self.identity = reader.identity if isinstance(reader, RememberingReader) else Identity()
        self._listed: dict[Name, bool] = {}

    async def identify(self, names: Iterable[Name]) -> None:
        """Learns the canonical name and the aliases of each name."""
        todo = {name for name in names if name not in self.identity}
        asked: set[Name] = set()
        links: set[Link] = set()
        while fresh := todo - asked:
            asked |= fresh
            found = await self.reader.links(fresh)
            links.update(found)
            todo.update(name for link in found for name in (link.a, link.b))
        if not links:
            self.identity.add_alone(todo)
            return
        carriers = await self.reader.carriers({name for link in links for name in (link.a, link.b)})
        for component in components(todo, links):
            self.identity.add(component, canonical_name(component, links, carriers))

    async def canonical(self, name: Name) -> Name:
        await self.identify([name])
        return self.identity.of(name)

    async def runs(
        self,
        runs: Collection[str],
        *,
        facets: Collection[str] | None = WALK_FACETS,
        described: Collection[str] | None = None,
    ) -> dict[str, RunFacts]:
        """The runs' facts, their dataset names identified."""
        found = await self.reader.runs(runs, facets=facets, described=described)
        await self.identify(name for run in found.values() for name in names_in(run))
        return found

    async def listed(self, runs: Iterable[RunFacts]) -> set[Name]:
        """Which datasets, among those that only lineage facets of these runs name, some run lists."""
        named = {self.identity.of(io.dataset) for run in runs for io in run.io if io.side is Side.NAMED}
        unknown = {member: name for name in named - self._listed.keys() for member in self.identity.members(name)}
        found = await self.reader.listed(unknown.keys()) if unknown else set()
        for name in unknown.values():
            self._listed[name] = any(member in found for member in self.identity.members(name))
        return {name for name in named if self._listed[name]}

    async def pins(self, wanted: Collection[tuple[RunFacts, Name, str]]) -> dict[tuple[str, Name, str], Pin]:
        """For each (run, canonical dataset, declared version or ``""``) what the run read."""
        pins = dict(self._pins)
        asked: list[tuple[str, Name, str]] = []
        queries: list[PinQuery] = []
        for run, dataset, version in wanted:
            key = (run.run, dataset, version)
            if key in pins:
                continue
            if version:
                pins[key] = Pin(dataset, version, "declared")
            elif at := pin_time(run):
                pins[key] = Pin(dataset, None, "unknown")
                asked.append(key)
                queries.append(PinQuery(self.identity.members(dataset), at, run.run))
            else:
                pins[key] = Pin(dataset, None, "unknown")
        for key, claim in zip(asked, await self.current(queries), strict=True):
            if claim:
                pins[key] = Pin(key[1], claim.version, "inferred")
        self._pins |= pins
        return pins

    async def current(self, queries: list[PinQuery]) -> list[Claim | None]:
        """The current generation by each query: the newest that is committed and not withdrawn."""
        if self.at is not None:
            queries = [query._replace(at=self._until(query.at)) for query in queries]
        found = await self.reader.current(queries) if queries else []
        aliased = {claim for claim in found if claim and len(self.identity.members(claim.dataset)) > 1}
        twins = aliased - set(await self.settled(aliased)) if aliased else aliased
        standing = await self.standing((claim.dataset, claim.version) for claim in found if claim)
        if not twins and not any(each.said for each in standing.values()):
            return found
        answers: list[Claim | None] = []
        for query, claim in zip(queries, found, strict=True):
            if claim is not None:
                key = self.identity.of(claim.dataset), claim.version
                if claim in twins or standing[key].holds("withdrawn", query.at):
                    claim = await self._current_by_history(query)
            answers.append(claim)
        return answers

    def _until(self, at: str | None) -> str | None:
        return self.at if at is None else at if self.at is None else min(at, self.at)

    async def standing(self, generations: Iterable[tuple[Name, str]]) -> dict[tuple[Name, str], Standing]:
        """What was said of each of these generations, under any name of its dataset; keys are canonical."""
        wanted = {(self.identity.of(name), version) for name, version in generations}
        fresh = wanted - self._standing.keys()
        asked = [(member, version) for name, version in fresh for member in self.identity.members(name)]
        said: dict[tuple[Name, str], list[Mark]] = {}
        for mark in await self.reader.marks(asked) if asked else ():
            if self.at is None or mark.time <= self.at:
                said.setdefault((self.identity.of(mark.dataset), mark.version), []).append(mark)
        self._standing |= dict.fromkeys(fresh, _NOTHING_SAID)
        self._standing |= {key: standing_of(marks) for key, marks in said.items()}
        return {key: self._standing[key] for key in wanted}

    async def _current_by_history(self, query: PinQuery) -> Claim | None:
        """The current generation of a dataset whose newest claim is withdrawn; or that has several names, and its
        newest claim means another, see ``without_twins``: that makes a claim older or its version less, so all that may
        be newer has been seen once a claim is found that is newer than the oldest seen."""
        dataset, at = self.identity.of(query.members[0]), query.at or _LAST
        wrote = await self.claims_of_runs([query.run]) if query.run else []
        own = {claim.version for claim in wrote if self.identity.of(claim.dataset) == dataset}
        newest: Claim | None = None
        before, seen = (at, _LAST), list[Claim]()
        while newest is None or (newest.commit_time or "") <= before[0]:
            page = await self.reader.history(query.members, committed=True, limit=_TWINS, before=before)
            if not page:
                break
            seen += page
            before = page[-1].commit_time or "", page[-1].version
            claims = [c for c in await self.settled(seen) if c.version not in own and "" < (c.commit_time or "") <= at]
            standing = await self.standing((dataset, claim.version) for claim in claims)
            claims = [c for c in claims if not standing[dataset, c.version].holds("withdrawn", query.at)]
            newest = max(claims, key=lambda claim: (claim.commit_time or "", claim.version), default=None)
        return newest

    async def inputs(self, run: RunFacts) -> list[Pin]:
        """What one run read."""
        wanted = [(run, name, version) for name, version in inputs_of(run, self.identity)]
        pins = await self.pins(wanted)
        return [pins[run.run, name, version] for _, name, version in wanted]

    async def edges(self, outputs: Collection[Claim], runs: dict[str, RunFacts]) -> dict[Claim, list[PinnedEdge]]:
        """The edges of written generations; ``runs`` must hold their runs, see ``runs``."""
        listed = await self.listed(runs.values())
        derived = {
            claim: derive_edges(runs[claim.run], self.identity.of(claim.dataset), claim.version, self.identity, listed)
            for claim in outputs
            if claim.run in runs
        }
        pins = await self.pins(
            [
                (runs[claim.run], source.dataset, source.version)
                for claim, sources in derived.items()
                for source in sources
            ]
        )
        return {
            claim: [PinnedEdge(source, pins[claim.run, source.dataset, source.version]) for source in sources]
            for claim, sources in derived.items()
        }

    async def claims_of_runs(self, runs: Collection[str]) -> list[Claim]:
        """What these runs wrote, each generation once."""
        claims = await self.reader.claims_of_runs(runs)
        await self.identify(claim.dataset for claim in claims)
        return self._known_then(without_twins(claims, self.identity))

    def _known_then(self, claims: Iterable[Claim]) -> list[Claim]:
        """What was committed later than ``at`` was a candidate."""
        at = self.at
        if at is None:
            return list(claims)
        return [c._replace(commit_time=None) if c.commit_time and c.commit_time > at else c for c in claims]

    async def attempts(self, key: str) -> list[RunRow]:
        """The attempts of a logical run, oldest first, at most ``MAX_ATTEMPTS``; in the past, those begun by then."""
        if key not in self._attempts:
            rows = await self.reader.list_runs(RunFilter(logical_key=key, oldest_first=True), MAX_ATTEMPTS)
            self._attempts[key] = [row for row in rows if self.at is None or (row.first_time or "") <= self.at]
        return self._attempts[key]

    async def settled(self, claims: Collection[Claim]) -> list[Claim]:
        """These claims, each generation once. Of datasets with several names: all that the same runs claim of them, see
        ``without_twins``."""
        aliased = {claim.run for claim in claims if len(self.identity.members(claim.dataset)) > 1}
        if not aliased:
            return self._known_then(claims)
        wanted = {(claim.run, self.identity.of(claim.dataset)) for claim in claims}
        whole = await self.claims_of_runs(aliased)
        return self._known_then(claim for claim in claims if claim.run not in aliased) + [
            claim for claim in whole if (claim.run, self.identity.of(claim.dataset)) in wanted
        ]

    async def claims(self, generations: Collection[tuple[Name, str]]) -> list[Claim]:
        """The claims of these generations, under any name of their datasets, committed ones first, by run."""
        members = [(member, version) for name, version in generations for member in self.identity.members(name)]
        found = await self.settled(await self.reader.claims(members) if members else [])
        wanted = {(self.identity.of(name), version) for name, version in generations}
        ours = [claim for claim in found if (self.identity.of(claim.dataset), claim.version) in wanted]
        return sorted(ours, key=lambda claim: (claim.commit_time is None, claim.run))


def state_of(run: RunFacts, at: str | None = None) -> StateView:
    """By what had happened at ``at`` (canonical; None: ever)."""
    if at is None:
        return state_by(run.states)
    return derive_state(said for said in run.states if said[1] <= at)


def pin_time(run: RunFacts) -> str | None:
    """When the run's undeclared reads are resolved: its start, else its first event."""
    return state_of(run).started or run.first_time
