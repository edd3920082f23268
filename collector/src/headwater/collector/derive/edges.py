"""Rule 7: which inputs fed an output, as far as the run's events prove it, down to columns."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import Any, Literal, NamedTuple

from headwater.collector.derive.identity import Identity
from headwater.collector.derive.outputs import Mention, effective
from headwater.collector.facts import Side
from headwater.collector.stores.reading import RunFacts
from headwater.shared.event import Name

EdgeGrade = Literal["declared", "sole", "unknown"]


class Source(NamedTuple):
    """One input of an output. ``version`` is the declared pin or ``""``; the dataset is canonical."""

    dataset: Name
    version: str
    grade: EdgeGrade


class ColumnSource(NamedTuple):
    """One input column of an output column. ``type`` is DIRECT, INDIRECT or None where nothing says; an unresolved one
    names no dataset that any run lists (a CTE's alias)."""

    dataset: Name
    field: str
    type: str | None
    subtype: str | None
    resolved: bool


def inputs_of(run: RunFacts, identity: Identity) -> list[tuple[Name, str]]:
    """The run's inputs under canonical names with their declared versions, each once, sorted."""
    inputs = [Mention(identity.of(io.dataset), io.version, None) for io in run.io if io.side is Side.INPUT]
    pairs = {(mention.dataset, mention.version) for mention in effective(inputs)}
    return sorted(pairs)


def outputs_of(run: RunFacts, identity: Identity) -> set[Name]:
    """The datasets that the run wrote, canonical."""
    return {identity.of(io.dataset) for io in run.io if io.side is Side.OUTPUT}


def names_in(run: RunFacts) -> set[Name]:
    """Every raw dataset name that the run's edges can speak of."""
    return {io.dataset for io in run.io}


def derive_edges(
    run: RunFacts, output: Name, version: str, identity: Identity, listed: Collection[Name]
) -> list[Source]:
    """The edges of one output generation. ``output`` is canonical; ``listed``: the canonical names, among those that
    only a lineage facet names, that some run lists."""
    inputs = inputs_of(run, identity)
    explicit = _explicit(run, output, version, identity)
    if explicit is not None:
        return _pinned(inputs, _datasets(explicit, identity), "declared")
    columns = output_facet(run, output, version, "columnLineage", identity)
    if columns is not None and (named := _datasets(_column_inputs(columns), identity)):
        ours = {name for name, _ in inputs}
        edges = _pinned(inputs, {name for name in named if name in ours or name in listed}, "declared")
        edges += [Source(name, pin, "unknown") for name, pin in inputs if name not in named]
        return edges
    grade: EdgeGrade = "sole" if len(outputs_of(run, identity)) == 1 else "unknown"
    return [Source(name, pin, grade) for name, pin in inputs]


def derive_columns(
    run: RunFacts, output: Name, version: str, identity: Identity, listed: Collection[Name]
) -> dict[str, list[ColumnSource]]:
    """Output columns to their sources; what affects the whole output stands with each of them."""
    fields, whole = _column_facts(run, output, version, identity)
    known = set(listed) | {name for name, _ in inputs_of(run, identity)}
    columns: dict[str, list[ColumnSource]] = {}
    for column, sources in fields.items():
        said: dict[ColumnSource, None] = {}
        for source in (*sources, *whole):
            for kind, subtype in _transformations(source):
                name = identity.of(Name(source["namespace"], source["name"]))
                said[ColumnSource(name, source["field"], kind, subtype, name in known)] = None
        columns[column] = list(said)
    return columns


def _pinned(inputs: list[tuple[Name, str]], wanted: Collection[Name], grade: EdgeGrade) -> list[Source]:
    """The wanted datasets with the pins that the run has of them; one that it does not list has none."""
    edges = [Source(name, pin, grade) for name, pin in inputs if name in wanted]
    ours = {name for name, _ in inputs}
    return edges + [Source(name, "", grade) for name in sorted(wanted) if name not in ours]


def _datasets(sources: list[dict[str, Any]], identity: Identity) -> set[Name]:
    return {identity.of(Name(source["namespace"], source["name"])) for source in sources}


def explicit_sources(run: RunFacts, output: Name, version: str, identity: Identity) -> set[Name] | None:
    """The datasets that the explicit lineage facet states for an output, canonical; None where it states nothing."""
    stated = _explicit(run, output, version, identity)
    return None if stated is None else _datasets(stated, identity)


def _explicit(run: RunFacts, output: Name, version: str, identity: Identity) -> list[dict[str, Any]] | None:
    """The sources that the explicit lineage facet states for this output, or None where it states nothing."""
    sources: list[dict[str, Any]] = []
    stated = False
    for entry in explicit_entries(run, output, version, identity):
        stated = True
        sources += dataset_inputs(entry)
        for field in (entry.get("fields") or {}).values():
            sources += dataset_inputs(field)
    return sources if stated else None


def explicit_entries(run: RunFacts, output: Name, version: str, identity: Identity) -> Iterator[dict[str, Any]]:
    entries = (run.job_facets.get("lineage") or {}).get("entries") or ()
    for entry in entries:
        if (
            entry.get("type") != "JOB"
            and identity.of(Name(entry["namespace"], entry["name"])) == output
            and _says(entry)
        ):
            yield entry
    own = output_facet(run, output, version, "lineage", identity)
    if own is not None and _says(own):
        yield own


def _says(entry: dict[str, Any]) -> bool:
    """Inputs left out are not said; an empty list says that there are none."""
    return entry.get("inputs") is not None or bool(entry.get("fields"))


def dataset_inputs(holder: dict[str, Any]) -> list[dict[str, Any]]:
    return [source for source in holder.get("inputs") or () if source.get("type") != "JOB"]


def _column_inputs(facet: dict[str, Any]) -> list[dict[str, Any]]:
    sources = [source for field in (facet.get("fields") or {}).values() for source in field.get("inputFields") or ()]
    return sources + list(facet.get("dataset") or ())


def output_facet(run: RunFacts, output: Name, version: str, facet: str, identity: Identity) -> dict[str, Any] | None:
    """The facet as last stated with this output, under any of its names, with this version or with none."""
    stated = [
        each
        for each in run.output_facets
        if each.name == facet and each.version in ("", version) and identity.of(each.dataset) == output
    ]
    last = max(stated, key=lambda each: (each.said, each.dataset, each.version), default=None)
    return last and last.value


def _column_facts(
    run: RunFacts, output: Name, version: str, identity: Identity
) -> tuple[dict[str, list[dict[str, Any]]], list[dict[str, Any]]]:
    """(sources by output column, sources of the whole output), from the explicit facet or else from columnLineage."""
    fields: dict[str, list[dict[str, Any]]] = {}
    whole: list[dict[str, Any]] = []
    for entry in explicit_entries(run, output, version, identity):
        whole += [source for source in dataset_inputs(entry) if source.get("field")]
        for column, field in (entry.get("fields") or {}).items():
            fields.setdefault(column, []).extend(s for s in dataset_inputs(field) if s.get("field"))
    if fields or whole:
        return fields, whole
    facet = output_facet(run, output, version, "columnLineage", identity) or {}
    for column, field in (facet.get("fields") or {}).items():
        fields[column] = [_with_old_type(source, field) for source in field.get("inputFields") or ()]
    return fields, list(facet.get("dataset") or ())


def _with_old_type(source: dict[str, Any], field: dict[str, Any]) -> dict[str, Any]:
    """columnLineage 1-0 says the transformation once for the output column: IDENTITY or MASKED, both direct."""
    old = field.get("transformationType")
    if source.get("transformations") or not old or type(old) is not str:
        return source
    return {**source, "transformations": [{"type": "DIRECT", "subtype": old}]}


def _transformations(source: dict[str, Any]) -> list[tuple[str | None, str | None]]:
    said = [(_text(each.get("type")), _text(each.get("subtype"))) for each in source.get("transformations") or ()]
    return said or [(None, None)]


def _text(value: Any) -> str | None:
    return value if type(value) is str else None
