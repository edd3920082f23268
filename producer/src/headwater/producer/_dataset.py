"""What the application calls a dataset by."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ._encode import openlineage_dict


class LineageDataset:
    """A dataset, and one generation of it if ``version`` says which.

    ``namespace`` and ``name`` follow OpenLineage's naming (``postgres://host:5432``, ``db.schema.table``).
    ``facets`` are dataset facets by name: dicts, or openlineage-python's facet objects. A value: equal and hashed by
    namespace, name and version; not to be changed.
    """

    __slots__ = ("facets", "name", "namespace", "version")

    def __init__(
        self, namespace: str, name: str, version: str | None = None, facets: Mapping[str, Any] | None = None
    ) -> None:
        self.namespace = namespace if type(namespace) is str else str(namespace)
        self.name = name if type(name) is str else str(name)
        self.version = None if version is None else str(version)
        self.facets: dict[str, Any] = dict(facets) if facets else {}

    def at(self, version: str) -> LineageDataset:
        """The same dataset at another generation."""
        return LineageDataset(self.namespace, self.name, version, self.facets)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, LineageDataset):
            return NotImplemented
        return (self.namespace, self.name, self.version) == (other.namespace, other.name, other.version)

    def __hash__(self) -> int:
        return hash((self.namespace, self.name, self.version))

    def __repr__(self) -> str:
        version = f"@{self.version}" if self.version is not None else ""
        return f"<LineageDataset {self.namespace} {self.name}{version}>"


DatasetLike = LineageDataset | Mapping[str, Any] | tuple[str, str] | Any
"""A LineageDataset, a mapping with ``namespace`` and ``name``, such a pair, or openlineage-python's Dataset."""


def several(given: Any) -> list[DatasetLike]:
    """What the application gave as datasets: any number of them, one alone, or None. Raises TypeError."""
    if given is None:
        return []
    one = isinstance(given, (LineageDataset, Mapping)) or hasattr(type(given), "__attrs_attrs__")
    pair = isinstance(given, tuple) and len(given) == 2 and all(isinstance(part, str) for part in given)
    return [given] if one or pair else list(given)


class Mention(LineageDataset):
    """A dataset of a run, with the facets of this reading (inputFacets) or writing (outputFacets)."""

    __slots__ = ("own_facets",)

    def __init__(self, dataset: LineageDataset, version: str | None, own_facets: Mapping[str, Any] | None) -> None:
        super().__init__(
            dataset.namespace, dataset.name, dataset.version if version is None else version, dataset.facets
        )
        self.own_facets: dict[str, Any] = dict(own_facets) if own_facets else {}


def mention_of(given: DatasetLike, version: str | None = None) -> Mention:
    """What the application gave as a dataset. Raises TypeError or KeyError for what is none."""
    if isinstance(given, LineageDataset):
        return Mention(given, version, None)
    if hasattr(type(given), "__attrs_attrs__"):
        given = openlineage_dict(given)
    if isinstance(given, tuple) and len(given) == 2:
        return Mention(LineageDataset(*given), version, None)
    if isinstance(given, Mapping):
        facets = dict(given.get("facets") or {})
        own = given.get("inputFacets") or given.get("outputFacets")
        said = facets.get("version") or {}
        stated = given.get("version") or (said.get("datasetVersion") if isinstance(said, Mapping) else None)
        return Mention(LineageDataset(given["namespace"], given["name"], stated, facets), version, own)
    raise TypeError(f"{given!r} is no dataset: give a LineageDataset, or a dict with namespace and name")
