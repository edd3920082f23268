"""Which columns an output column came from, and their sources in turn."""

from __future__ import annotations

from headwater.collector.derive.edges import ColumnSource, derive_columns
from headwater.collector.questions.lookup import Lookup
from headwater.collector.questions.shapes import Json, name_json
from headwater.collector.stores.reading import Claim, PinQuery
from headwater.shared.event import Name

MAX_COLUMNS = 10_000
"""Columns that one walk reaches before it says that it is truncated."""


async def resolve(lookup: Lookup, dataset: Name, generation: str | None) -> tuple[Name, str | None]:
    """The canonical dataset and the generation asked for, the current one by default."""
    name = await lookup.canonical(dataset)
    if generation is None:
        current = (await lookup.current([PinQuery(lookup.identity.members(name), None, None)]))[0]
        generation = current and current.version
    return name, generation


async def columns_answer(lookup: Lookup, dataset: Name, generation: str | None, column: str) -> list[Json]:
    """The direct sources of one column; empty where nothing says them."""
    name, version = await resolve(lookup, dataset, generation)
    return [_source_json(source, pin) for source, pin in await _sources(lookup, name, version, column)]


async def column_sources_answer(
    lookup: Lookup, dataset: Name, generation: str | None, column: str, max_depth: int
) -> Json:
    """The column's sources, their sources and so on, nearest first."""
    name, version = await resolve(lookup, dataset, generation)
    reached: dict[tuple[Name, str | None, str], Json] = {}
    frontier: list[tuple[Name, str | None, str]] = [(name, version, column)]
    truncated_by: str | None = "max_depth"
    for distance in range(1, max_depth + 1):
        following = []
        for here in frontier:
            for source, pin in await _sources(lookup, *here):
                key = (source.dataset, pin, source.field)
                if key in reached or key == (name, version, column):
                    continue
                reached[key] = {**_source_json(source, pin), "distance": distance}
                following.append(key)
        if not following or len(reached) >= MAX_COLUMNS:
            truncated_by = "max_columns" if following else None
            break
        frontier = following
    start = {"dataset": name_json(name), "version": version, "field": column}
    return {
        "start": start,
        "reached": list(reached.values()),
        "truncated": truncated_by is not None,
        "truncatedBy": truncated_by,
    }


def _source_json(source: ColumnSource, pin: str | None) -> Json:
    return {**source._asdict(), "dataset": name_json(source.dataset), "version": pin}


async def _sources(
    lookup: Lookup, name: Name, version: str | None, column: str
) -> list[tuple[ColumnSource, str | None]]:
    """Each source with the generation that was read; none unless exactly one run committed the generation."""
    if version is None:
        return []
    committed: list[Claim] = [claim for claim in await lookup.claims([(name, version)]) if claim.commit_time]
    if len(committed) != 1:
        return []
    claim = committed[0]
    runs = await lookup.runs([claim.run])
    listed = await lookup.listed(runs.values())
    sources = derive_columns(runs[claim.run], name, version, lookup.identity, listed).get(column, [])
    edges = (await lookup.edges([claim], runs))[claim]
    pins: dict[Name, list[str | None]] = {}
    for edge in edges:
        pins.setdefault(edge.pin.dataset, []).append(edge.pin.version)
    return [(source, pin) for source in sources for pin in (pins.get(source.dataset) or [None])]
