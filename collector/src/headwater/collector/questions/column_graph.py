"""The graph of columns: of datasets as they are now, or from one generation of a dataset back."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import Final, NamedTuple, TypeAlias

from headwater.collector.derive.column_details import ColumnInput, OutputColumn, output_columns
from headwater.collector.facts import Side
from headwater.collector.questions.edge_sources import edges_at
from headwater.collector.questions.lookup import Lookup
from headwater.collector.questions.stated import runs_of_jobs
from headwater.collector.stores.reading import Claim, PinQuery, ReadQuery, RunFacts
from headwater.shared.event import Name

MAX_COLUMNS: Final = 10_000
RUNS_BACK: Final = 3
"""Newest runs of a job in which its columns are looked for: the newest may have named none yet."""
MAX_NAMED: Final = 2_000
"""Reads of one dataset that are looked through for runs that only their column lineage ties to it."""

Column: TypeAlias = tuple[Name, str | None, str]
"""(canonical dataset, generation or None, field)."""


class ColumnGraph(NamedTuple):
    """``columns`` has the distance of each, by columns passed; ``said`` what is stated of those that are made from
    others, with their inputs as columns."""

    columns: dict[Column, int]
    said: dict[Column, tuple[OutputColumn, list[tuple[ColumnInput, Column]]]]
    truncated_by: str | None


class ColumnWalk:
    """One question's walk over the columns as they are stated now, or were at a time."""

    def __init__(self, lookup: Lookup, *, at: str | None = None, whole: bool = True, limit: int = MAX_COLUMNS) -> None:
        self._lookup, self._at, self._whole, self._limit = lookup, at, whole, limit
        self._edges = edges_at(lookup.reader, at)
        self._columns: dict[Name, dict[str, OutputColumn]] = {}
        self._found: dict[Column, int] = {}
        self._cut: str | None = None

    async def of_datasets(self, datasets: Collection[Name]) -> list[Column]:
        """The columns of these datasets that are made from others."""
        await self._learn(datasets)
        return [(name, None, field) for name in sorted(datasets) for field in self._columns[name]]

    async def walk(self, start: Iterable[Column], *, up: int, down: int) -> ColumnGraph:
        """From these columns, at distance 0. Each is there, whether anything is stated of it or not."""
        first = list(start)
        for column in first:
            self._reach(column, 0)
        await self._upstream(first, up)
        await self._downstream(first, down)
        said: dict[Column, tuple[OutputColumn, list[tuple[ColumnInput, Column]]]] = {}
        for column in self._found:
            stated = self._columns.get(column[0], {}).get(column[2])
            if stated is not None:
                said[column] = (stated, [(each, (each.dataset, None, each.field)) for each in stated.inputs])
        return ColumnGraph(self._found, said, self._cut)

    async def _upstream(self, frontier: list[Column], hops: int) -> None:
        for distance in range(1, hops + 1):
            await self._learn({name for name, _, _ in frontier})
            inputs = [
                (each.dataset, None, each.field)
                for name, _, field in frontier
                if (stated := self._columns[name].get(field)) is not None
                for each in stated.inputs
            ]
            frontier = [column for column in inputs if self._reach(column, distance)]
            if not frontier:
                return
        await self._learn({name for name, _, _ in frontier})
        if any(self._columns[name].get(field) for name, _, field in frontier):
            self._cut = self._cut or "depth"

    async def _downstream(self, frontier: list[Column], hops: int) -> None:
        for distance in range(1, hops + 1):
            here = {(name, field) for name, _, field in frontier}
            outputs = await self._made_from({name for name, _ in here})
            await self._learn(outputs)
            made = [
                (output, None, field)
                for output in sorted(outputs)
                for field, stated in self._columns[output].items()
                if any((each.dataset, each.field) in here for each in stated.inputs)
            ]
            frontier = [column for column in made if self._reach(column, distance)]
            if not frontier:
                return
        if hops and frontier:
            self._cut = self._cut or "depth"

    def _reach(self, column: Column, distance: int) -> bool:
        if column in self._found:
            return False
        if len(self._found) >= self._limit:
            self._cut = "limit"
            return False
        self._found[column] = distance
        return True

    async def _made_from(self, datasets: set[Name]) -> set[Name]:
        """Datasets that jobs which read these write, and those whose column lineage alone names these."""
        members = [member for name in sorted(datasets) for member in self._lookup.identity.members(name)]
        readers = {edge.job for edge in await self._edges.of_datasets(members) if edge.side is Side.INPUT}
        written = {edge.dataset for edge in await self._edges.of_jobs(sorted(readers)) if edge.side is Side.OUTPUT}
        queries = [ReadQuery(self._lookup.identity.members(name), "", None, self._at) for name in sorted(datasets)]
        reads = await self._lookup.reader.reads(queries, MAX_NAMED)
        named = {read.run for found in reads for read in found if read.side is Side.NAMED}
        written |= {claim.dataset for claim in await self._lookup.reader.claims_of_runs(named)}
        await self._lookup.identify(written)
        return {self._lookup.identity.of(name) for name in written}

    async def _learn(self, datasets: Collection[Name]) -> None:
        """What is stated now of the columns of these datasets: by every job that writes one, in its newest run that
        did, a committed one if there is; where no job does any more, by whoever wrote the current generation."""
        fresh = sorted(name for name in datasets if name not in self._columns)
        if not fresh:
            return
        await self._lookup.identify(fresh)
        claims = await self._writers(fresh)
        runs = await self._lookup.runs({claim.run for claim in claims})
        listed = await self._lookup.listed(runs.values())
        for name in fresh:
            self._columns[name] = {}
        for claim in claims:
            if claim.run in runs:
                self._add(runs[claim.run], claim, listed)

    def _add(self, run: RunFacts, claim: Claim, listed: set[Name]) -> None:
        identity = self._lookup.identity
        name = identity.of(claim.dataset)
        known = self._columns[name]
        for field, stated in output_columns(run, name, claim.version, identity, listed).items():
            inputs = [each for each in stated.inputs if self._whole or not each.whole]
            before = known.get(field)
            if before is None:
                known[field] = stated._replace(inputs=inputs)
                continue
            have = {(each.dataset, each.field) for each in before.inputs}
            before.inputs.extend(each for each in inputs if (each.dataset, each.field) not in have)

    async def _writers(self, datasets: list[Name]) -> list[Claim]:
        identity = self._lookup.identity
        members = [member for name in datasets for member in identity.members(name)]
        jobs = {edge.job for edge in await self._edges.of_datasets(members) if edge.side is Side.OUTPUT}
        rows = await runs_of_jobs(self._lookup, sorted(jobs), self._at, RUNS_BACK)
        place = {row.run: (job, index) for job, found in rows.items() for index, row in enumerate(found)}
        wanted = set(datasets)
        best: dict[tuple[Name, Name], tuple[bool, int, Claim]] = {}
        for claim in await self._lookup.claims_of_runs(place.keys()):
            name = identity.of(claim.dataset)
            if name in wanted:
                job, index = place[claim.run]
                rank = (claim.commit_time is None, index, claim)
                key = (job, name)
                best[key] = min(best.get(key, rank), rank)
        found = [claim for _, _, claim in best.values()]
        rest = [name for name in datasets if not any(key[1] == name for key in best)]
        current = await self._lookup.current([PinQuery(identity.members(name), self._at, None) for name in rest])
        return found + [claim for claim in current if claim]


async def columns_of_generation(
    lookup: Lookup, start: Claim, field: str | None, *, depth: int, whole: bool = True, limit: int = MAX_COLUMNS
) -> ColumnGraph:
    """From the columns of one generation (or one of them) back, by the generations that were read."""
    name = lookup.identity.of(start.dataset)
    columns: dict[Column, int] = {}
    said: dict[Column, tuple[OutputColumn, list[tuple[ColumnInput, Column]]]] = {}
    frontier: dict[tuple[Name, str], set[str] | None] = {(name, start.version): None if field is None else {field}}
    cut: str | None = "depth"
    for distance in range(depth):
        following: dict[tuple[Name, str], set[str] | None] = {}
        for (dataset, version), stated in (await _stated_of(lookup, frontier, start, whole)).items():
            wanted = frontier[dataset, version]
            for column, (output, inputs) in stated.items():
                if wanted is not None and column not in wanted:
                    continue
                key: Column = (dataset, version, column)
                columns.setdefault(key, distance)
                said[key] = (output, inputs)
                for _, source in inputs:
                    if source in columns:
                        continue
                    columns[source] = distance + 1
                    if source[1] is not None:
                        fields = following.setdefault((source[0], source[1]), set())
                        assert fields is not None
                        fields.add(source[2])
        frontier = following
        if not frontier or len(columns) >= limit:
            cut = "limit" if frontier else None
            break
    return ColumnGraph(columns, said, cut)


async def _stated_of(
    lookup: Lookup, generations: Collection[tuple[Name, str]], start: Claim, whole: bool
) -> dict[tuple[Name, str], dict[str, tuple[OutputColumn, list[tuple[ColumnInput, Column]]]]]:
    """What the runs that committed these generations state of their columns; of the start its own run does. Nothing
    where several runs did."""
    claims: dict[tuple[Name, str], list[Claim]] = {}
    for claim in await lookup.claims(generations):
        if claim.commit_time or claim.run == start.run:
            claims.setdefault((lookup.identity.of(claim.dataset), claim.version), []).append(claim)
    sole = {generation: found[0] for generation, found in claims.items() if len(found) == 1}
    runs = await lookup.runs({claim.run for claim in sole.values()})
    listed = await lookup.listed(runs.values())
    edges = await lookup.edges(list(sole.values()), runs)
    found: dict[tuple[Name, str], dict[str, tuple[OutputColumn, list[tuple[ColumnInput, Column]]]]] = {}
    for (dataset, version), claim in sole.items():
        pins: dict[Name, list[str | None]] = {}
        for edge in edges.get(claim, ()):
            pins.setdefault(edge.pin.dataset, []).append(edge.pin.version)
        stated = output_columns(runs[claim.run], dataset, version, lookup.identity, listed)
        found[dataset, version] = {
            column: (
                output,
                [
                    (each, (each.dataset, pin, each.field))
                    for each in output.inputs
                    if whole or not each.whole
                    for pin in pins.get(each.dataset) or [None]
                ],
            )
            for column, output in stated.items()
        }
    return found
