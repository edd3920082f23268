"""What Marquez's shapes are made from: runs, jobs and datasets, each kind fetched in bulk, however many are shown."""

from __future__ import annotations

from collections.abc import Collection
from typing import Final, NamedTuple

from headwater.collector.derive.edges import inputs_of
from headwater.collector.derive.outputs import implied_version
from headwater.collector.facts import Scope, Side
from headwater.collector.questions.entities import edge_names, merged_facets
from headwater.collector.questions.lookup import Lookup, Pin
from headwater.collector.stores.reading import Claim, Facets, JobFacts, PinQuery, Reader, RunFacts
from headwater.shared.event import Name


class ReadView(NamedTuple):
    """One input of a run: which generation, and the inputFacets stated with it."""

    pin: Pin
    own_facets: Facets


class WriteView(NamedTuple):
    """One output of a run. ``claim.dataset`` is canonical."""

    claim: Claim
    facets: Facets
    own_facets: Facets
    changed: bool = False
    """A DROP or RENAME, which makes no generation."""


class RunView(NamedTuple):
    facts: RunFacts
    reads: list[ReadView]
    writes: list[WriteView]


class JobView(NamedTuple):
    """A job with its current edges and its newest runs."""

    facts: JobFacts
    inputs: list[Name]
    outputs: list[Name]
    latest: list[RunView]


class DatasetView(NamedTuple):
    """A dataset as asked for by one of its names. Times are canonical."""

    name: Name
    canonical: Name
    aliases: list[Name]
    first_time: str
    last_time: str
    deleted: bool
    current: Claim | None
    facets: Facets
    versioned: bool
    """False where runs wrote it and none of it was ever committed."""


EDGES_ONLY: Final = ("lineage",)
"""As ``described`` of ``run_views``: what a Run shows of its datasets, which are described elsewhere."""


async def run_views(
    reader: Reader, run_ids: Collection[str], *, described: Collection[str] | None = None
) -> dict[str, RunView]:
    """The known ones of these runs, whole. ``described``: of what they say of the datasets themselves only facets of
    these names."""
    if not run_ids:
        return {}
    lookup = Lookup(reader)
    runs = await lookup.runs(run_ids, facets=None, described=described)
    claims = await lookup.claims_of_runs(runs.keys())
    inputs = {run: inputs_of(facts, lookup.identity) for run, facts in runs.items()}
    pins = await lookup.pins([(runs[run], *each) for run, found in inputs.items() for each in found])
    written_by = _by_run(claims)
    views: dict[str, RunView] = {}
    for run, facts in runs.items():
        said = _of_datasets(facts, lookup)
        reads = [
            ReadView(pins[run, name, version], said.of(Scope.INPUT_OWN, name, version)) for name, version in inputs[run]
        ]
        written = [(claim, False) for claim in _canonical(written_by.get(run, ()), lookup)]
        written += [(claim, True) for claim in _changes(facts, {claim.dataset for claim, _ in written}, lookup)]
        views[run] = RunView(facts, reads, [_write(claim, said, changed) for claim, changed in written])
    return views


def _canonical(claims: Collection[Claim], lookup: Lookup) -> list[Claim]:
    return sorted(claim._replace(dataset=lookup.identity.of(claim.dataset)) for claim in claims)


def _write(claim: Claim, said: _Said, changed: bool) -> WriteView:
    stated, own = (said.of(scope, claim.dataset, claim.version) for scope in (Scope.OUTPUT, Scope.OUTPUT_OWN))
    return WriteView(claim, stated, own, changed)


def _changes(run: RunFacts, written: Collection[Name], lookup: Lookup) -> list[Claim]:
    """Outputs of which the run made no generation."""
    outputs = {(lookup.identity.of(io.dataset), io.version) for io in run.io if io.side is Side.OUTPUT}
    return [
        Claim(name, version or implied_version(run.run), run.run, None)
        for name, version in sorted(outputs)
        if name not in written
    ]


async def job_views(reader: Reader, names: Collection[Name], *, runs: int) -> dict[Name, JobView]:
    """The known ones of these jobs, each with its ``runs`` newest runs (see ``EDGES_ONLY``); without those deleted
    through the API. A job whose runs named no dataset has those that JobEvents say."""
    if not names:
        return {}
    lookup = Lookup(reader)
    jobs = {name: facts for name, facts in (await reader.jobs(names)).items() if not facts.deleted}
    edges = await reader.job_edges(jobs.keys(), [])
    await lookup.identify([edge.dataset for edge in edges])
    have_edges = {edge.job for edge in edges}
    designs = {name: facts.design for name, facts in jobs.items() if facts.design and name not in have_edges}
    await lookup.identify([name for design in designs.values() for listed in design.values() for name in listed])
    rows = await reader.latest_runs(jobs.keys(), runs)
    latest = await run_views(reader, [row.run for found in rows.values() for row in found], described=EDGES_ONLY)
    of_job = {name: [edge for edge in edges if edge.job == name] for name in jobs} if len(jobs) < 2 else {}
    if not of_job:
        for edge in edges:
            of_job.setdefault(edge.job, []).append(edge)

    def names_on(job: Name, side: Side) -> list[Name]:
        designed = {lookup.identity.of(each) for each in designs.get(job, {}).get(side, ())}
        return edge_names(lookup, of_job.get(job, []), side) or sorted(designed)

    return {
        name: JobView(
            facts,
            names_on(name, Side.INPUT),
            names_on(name, Side.OUTPUT),
            [latest[row.run] for row in rows.get(name, ()) if row.run in latest],
        )
        for name, facts in jobs.items()
    }


async def dataset_views(reader: Reader, names: Collection[Name]) -> dict[Name, DatasetView]:
    """The known ones of these datasets, by the name they were asked for; without those deleted through the API."""
    if not names:
        return {}
    lookup = Lookup(reader)
    await lookup.identify(names)
    members = {name: lookup.identity.members(name) for name in names}
    every = {member for found in members.values() for member in found}
    facts = await reader.datasets(every)
    known = [name for name in names if any(member in facts and not facts[member].deleted for member in members[name])]
    current = await lookup.current([PinQuery(members[name], None, None) for name in known])
    uncommitted = [name for name, claim in zip(known, current, strict=True) if claim is None]
    unpublished = await reader.unpublished({member for name in uncommitted for member in members[name]})
    dropped: dict[Name, str] = {}
    for drop in await reader.drops(every):
        canonical = lookup.identity.of(drop.dataset)
        dropped[canonical] = max(dropped.get(canonical, ""), drop.time)
    views: dict[Name, DatasetView] = {}
    for name, claim in zip(known, current, strict=True):
        canonical = lookup.identity.of(name)
        ours = members[name]
        last_drop, committed = dropped.get(canonical), (claim and claim.commit_time) or ""
        found = {member: facts[member] for member in ours if member in facts}
        views[name] = DatasetView(
            name,
            canonical,
            [member for member in ours if member != canonical],
            min(each.first_time for each in found.values()),
            max(each.last_time for each in found.values()),
            last_drop is not None and last_drop >= committed,
            claim,
            merged_facets(found),
            claim is not None or unpublished.isdisjoint(ours),
        )
    return views


def _by_run(claims: Collection[Claim]) -> dict[str, list[Claim]]:
    found: dict[str, list[Claim]] = {}
    for claim in claims:
        found.setdefault(claim.run, []).append(claim)
    return found


class _Said:
    """What one run said of its datasets, by canonical name."""

    def __init__(self, facets: dict[tuple[Scope, Name, str], Facets]) -> None:
        self._facets = facets

    def of(self, scope: Scope, name: Name, version: str) -> Facets:
        """What was stated of a dataset without a version holds for its version too, unless that says otherwise."""
        if not self._facets:
            return {}
        return {**self._facets.get((scope, name, ""), {}), **self._facets.get((scope, name, version), {})}


def _of_datasets(run: RunFacts, lookup: Lookup) -> _Said:
    found: dict[tuple[Scope, Name, str], Facets] = {}
    for (scope, name, version), facets in run.io_facets.items():
        found.setdefault((scope, lookup.identity.of(name), version), {}).update(facets)
    return _Said(found)
