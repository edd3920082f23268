"""Columns of one output with all that is said of each input, in the words it came in, see ``derive_columns``."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import Any, NamedTuple

from headwater.collector.derive.edges import dataset_inputs, explicit_entries, inputs_of, output_facet
from headwater.collector.derive.identity import Identity
from headwater.collector.stores.reading import RunFacts
from headwater.shared.event import Name


class ColumnInput(NamedTuple):
    """A source of a column; ``dataset`` is canonical. ``transformations`` as stated, type and subtype in each."""

    dataset: Name
    field: str
    transformations: tuple[dict[str, Any], ...]
    whole: bool
    """It affects the output as a whole (a filter, a join) rather than this column."""


class OutputColumn(NamedTuple):
    """``description`` and ``type``: of the transformation, as columnLineage 1-0 says them, else of the first
    transformation of the first input that has one."""

    description: str | None
    type: str | None
    inputs: list[ColumnInput]


def output_columns(
    run: RunFacts, output: Name, version: str, identity: Identity, listed: Collection[Name]
) -> dict[str, OutputColumn]:
    """The columns that the explicit lineage facet states, else those of columnLineage. Sources that name no dataset
    that any run lists (``listed``, see ``derive_columns``) are left out."""
    known = set(listed) | {name for name, _ in inputs_of(run, identity)}
    fields, whole = _stated(run, output, version, identity)
    columns: dict[str, OutputColumn] = {}
    for column, said in fields.items():
        found: dict[tuple[Name, str], ColumnInput] = {}
        for source, is_whole in [(each, False) for each in said["inputs"]] + [(each, True) for each in whole]:
            name = identity.of(Name(source["namespace"], source["name"]))
            if name in known:
                found.setdefault((name, source["field"]), _input(name, source, is_whole))
        columns[column] = _column(said, found.values())
    return columns


def _stated(
    run: RunFacts, output: Name, version: str, identity: Identity
) -> tuple[dict[str, dict[str, Any]], list[dict[str, Any]]]:
    """({column: {inputs, description, type}}, sources of the whole output)."""
    fields: dict[str, dict[str, Any]] = {}
    whole: list[dict[str, Any]] = []
    for entry in explicit_entries(run, output, version, identity):
        whole += [source for source in dataset_inputs(entry) if source.get("field")]
        for column, field in (entry.get("fields") or {}).items():
            said = fields.setdefault(column, {"inputs": []})
            said["inputs"] += [source for source in dataset_inputs(field) if source.get("field")]
    if fields or whole:
        return fields, whole
    facet = output_facet(run, output, version, "columnLineage", identity) or {}
    for column, field in (facet.get("fields") or {}).items():
        fields[column] = {
            "inputs": list(field.get("inputFields") or ()),
            "description": _text(field.get("transformationDescription")),
            "type": _text(field.get("transformationType")),
        }
    return fields, list(facet.get("dataset") or ())


def _input(name: Name, source: dict[str, Any], whole: bool) -> ColumnInput:
    return ColumnInput(name, source["field"], tuple(source.get("transformations") or ()), whole)


def _column(said: dict[str, Any], inputs: Iterable[ColumnInput]) -> OutputColumn:
    found = list(inputs)
    first: dict[str, Any] = next((each for one in found if not one.whole for each in one.transformations), {})
    return OutputColumn(
        said.get("description") or _text(first.get("description")),
        said.get("type") or _text(first.get("subtype")) or _text(first.get("type")),
        found,
    )


def _text(value: Any) -> str | None:
    return value if isinstance(value, str) and value else None
