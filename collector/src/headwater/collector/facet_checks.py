"""Which shapes of the standard facets the graph can read.

A check returns None, or where in the facet it is malformed and why. Facets without a check are kept as they are.
Source: the OpenLineage facet schemas, read as tolerantly as the graph allows: null counts as absent.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import orjson

from headwater.shared import times

Complaint = tuple[str, str]
"""(JSON pointer inside the facet, message)."""
Check = Callable[[dict[str, Any]], Complaint | None]


def is_text(value: object) -> bool:
    """A text that names something: not blank."""
    return type(value) is str and bool(value.strip())


def _text(value: object, where: str) -> Complaint | None:
    return None if is_text(value) else (where, "must be a text that is not blank")


def _optional_text(facet: dict[str, Any], *keys: str) -> Complaint | None:
    for key in keys:
        value = facet.get(key)
        if value is not None and type(value) is not str:
            return f"/{key}", "must be a text"
    return None


def _named(value: object, where: str) -> Complaint | None:
    """An object with namespace and name."""
    if type(value) is not dict:
        return where, "must be an object with namespace and name"
    return _text(value.get("namespace"), f"{where}/namespace") or _text(value.get("name"), f"{where}/name")


def _each(value: object, where: str, check: Callable[[Any, str], Complaint | None]) -> Complaint | None:
    """A list, null counting as empty, whose every item passes."""
    if value is None:
        return None
    if type(value) is not list:
        return where, "must be a list"
    for index, item in enumerate(value):
        if complaint := check(item, f"{where}/{index}"):
            return complaint
    return None


def _run_link(value: object, where: str) -> Complaint | None:
    """An object with run.runId and, where there is one, a whole job."""
    if type(value) is not dict:
        return where, "must be an object"
    run, job = value.get("run"), value.get("job")
    if type(run) is not dict:
        return f"{where}/run", "must be an object with runId"
    return _text(run.get("runId"), f"{where}/run/runId") or (None if job is None else _named(job, f"{where}/job"))


def _parent(facet: dict[str, Any]) -> Complaint | None:
    root = facet.get("root")
    return _run_link(facet, "") or (None if root is None else _run_link(root, "/root"))


def _nominal_time(facet: dict[str, Any]) -> Complaint | None:
    start, end = facet.get("nominalStartTime"), facet.get("nominalEndTime")
    return _time(start, "/nominalStartTime") or (None if end is None else _time(end, "/nominalEndTime"))


def _time(value: object, where: str) -> Complaint | None:
    try:
        times.parse(value if type(value) is str else "")
    except ValueError:
        return where, "must be an ISO 8601 time"
    return None


def _version(facet: dict[str, Any]) -> Complaint | None:
    value = facet.get("datasetVersion")
    if type(value) is int:  # Delta's and Iceberg's numbers, sent as such by some
        return None
    return _text(value, "/datasetVersion")


def _schema(facet: dict[str, Any]) -> Complaint | None:
    return _each(facet.get("fields"), "/fields", _schema_field)


def _schema_field(field: Any, where: str) -> Complaint | None:
    if type(field) is not dict:
        return where, "must be an object with name"
    if complaint := _text(field.get("name"), f"{where}/name"):
        return complaint
    return _each(field.get("fields"), f"{where}/fields", _schema_field)


def _symlinks(facet: dict[str, Any]) -> Complaint | None:
    return _each(facet.get("identifiers"), "/identifiers", _named)


def _column_lineage(facet: dict[str, Any]) -> Complaint | None:
    fields = facet.get("fields")
    if fields is not None and type(fields) is not dict:
        return "/fields", "must be an object"
    for name, field in (fields or {}).items():
        where = f"/fields/{name}"
        if type(field) is not dict:
            return where, "must be an object with inputFields"
        if complaint := _each(field.get("inputFields"), f"{where}/inputFields", _input_field):
            return complaint
    return _each(facet.get("dataset"), "/dataset", _input_field)


def _input_field(value: Any, where: str) -> Complaint | None:
    if complaint := _named(value, where):
        return complaint
    if complaint := _text(value.get("field"), f"{where}/field"):
        return complaint
    return _each(value.get("transformations"), f"{where}/transformations", _is_object)


def _is_object(value: Any, where: str) -> Complaint | None:
    return None if type(value) is dict else (where, "must be an object")


def _lineage(facet: dict[str, Any]) -> Complaint | None:
    return _each(facet.get("entries"), "/entries", _lineage_entry) or _lineage_sources(facet, "")


def _lineage_entry(entry: Any, where: str) -> Complaint | None:
    if type(entry) is not dict:
        return where, "must be an object"
    if entry.get("type") != "JOB" and (complaint := _named(entry, where)):
        return complaint
    return _lineage_sources(entry, where)


def _lineage_sources(entry: dict[str, Any], where: str) -> Complaint | None:
    if complaint := _each(entry.get("inputs"), f"{where}/inputs", _lineage_input):
        return complaint
    fields = entry.get("fields")
    if fields is not None and type(fields) is not dict:
        return f"{where}/fields", "must be an object"
    for name, field in (fields or {}).items():
        if type(field) is not dict:
            return f"{where}/fields/{name}", "must be an object with inputs"
        if complaint := _each(field.get("inputs"), f"{where}/fields/{name}/inputs", _lineage_input):
            return complaint
    return None


def _lineage_input(value: Any, where: str) -> Complaint | None:
    if type(value) is not dict:
        return where, "must be an object"
    return None if value.get("type") == "JOB" else _named(value, where)


def _lifecycle(facet: dict[str, Any]) -> Complaint | None:
    previous = facet.get("previousIdentifier")
    return _text(facet.get("lifecycleStateChange"), "/lifecycleStateChange") or (
        None if previous is None else _named(previous, "/previousIdentifier")
    )


def _ownership(facet: dict[str, Any]) -> Complaint | None:
    return _each(facet.get("owners"), "/owners", _has("name"))


def _tags(facet: dict[str, Any]) -> Complaint | None:
    return _each(facet.get("tags"), "/tags", _has("key"))


def _has(key: str) -> Callable[[Any, str], Complaint | None]:
    def check(value: Any, where: str) -> Complaint | None:
        return _is_object(value, where) or _text(value.get(key), f"{where}/{key}")

    return check


def _assertions(facet: dict[str, Any]) -> Complaint | None:
    return _each(facet.get("assertions"), "/assertions", _has("assertion"))


def _metrics(facet: dict[str, Any]) -> Complaint | None:
    if facet.get("columnMetrics") is None and facet.get("rowCount") is not None:
        return None
    if facet.get("columnMetrics") is None and facet.get("rowCount") is not None:
        return None
    return _is_object(facet.get("columnMetrics"), "/columnMetrics")


def _statistics(facet: dict[str, Any]) -> Complaint | None:
    for key in ("rowCount", "size", "fileCount"):
        value = facet.get(key)
        if value is not None and type(value) is not int:
            return f"/{key}", "must be a whole number"
    return None


def _positions(facet: dict[str, Any]) -> Complaint | None:
    return _each(facet.get("positions"), "/positions", _has("kind"))


MAX_WANTED = 1000
"""Wants, or partitions of one want, that one facet may name."""


def _some(value: object, where: str, check: Callable[[Any, str], Complaint | None]) -> Complaint | None:
    """A list of 1 to ``MAX_WANTED`` items that pass."""
    if type(value) is not list or not 0 < len(value) <= MAX_WANTED:
        return where, f"must list 1 to {MAX_WANTED}"
    return _each(value, where, check)


def _want(facet: Any, where: str = "") -> Complaint | None:
    """The facet, or an entry of a dep-miss."""
    if complaint := _some(facet.get("partitions"), f"{where}/partitions", _named):
        return complaint
    comment = facet.get("comment")
    return None if comment is None or type(comment) is str else (f"{where}/comment", "must be a text")


def _wants(facet: dict[str, Any]) -> Complaint | None:
    return _some(facet.get("wants"), "/wants", _text)


def _dep_miss(facet: dict[str, Any]) -> Complaint | None:
    for key, check in (("missing", _named), ("wants", _spawned)):
        value = facet.get(key)
        if value and (complaint := _some(value, f"/{key}", check)):
            return complaint
        if value is not None and type(value) is not list:
            return f"/{key}", "must be a list"
    return None


def _spawned(value: Any, where: str) -> Complaint | None:
    if complaint := _is_object(value, where) or _text(value.get("id"), f"{where}/id"):
        return complaint
    return _want(value, where) if value.get("partitions") is not None else None


CHECKS: dict[str, Check] = {
    "parent": _parent,
    "nominalTime": _nominal_time,
    "errorMessage": lambda facet: _optional_text(facet, "message", "programmingLanguage", "stackTrace"),
    "spark.exception": lambda facet: _optional_text(facet, "message", "stackTrace"),
    "processing_engine": lambda facet: _optional_text(facet, "version", "name"),
    "headwater_attempt": lambda facet: _text(facet.get("logicalKey"), "/logicalKey"),
    "headwater_position": _positions,
    "headwater_want": _want,
    "headwater_wants": _wants,
    "headwater_dep_miss": _dep_miss,
    "sourceCodeLocation": lambda facet: _optional_text(facet, "type", "url", "repoUrl", "version", "tag", "branch"),
    "documentation": lambda facet: _optional_text(facet, "description"),
    "ownership": _ownership,
    "tags": _tags,
    "version": _version,
    "schema": _schema,
    "symlinks": _symlinks,
    "columnLineage": _column_lineage,
    "lineage": _lineage,
    "lifecycleStateChange": _lifecycle,
    "dataSource": lambda facet: _optional_text(facet, "name", "uri"),
    "dataQualityAssertions": _assertions,
    "dataQualityMetrics": _metrics,
    "inputStatistics": _statistics,
    "outputStatistics": _statistics,
}

MAX_KNOWN = 8_192
MAX_KNOWN_BYTES = 16_384
"""What the memory of facets found sound is bounded by: entries, and bytes of one."""
_known: dict[tuple[str, bytes], bytes] = {}


def checked_facet(name: str, facet: dict[str, Any]) -> bytes | Complaint:
    """The facet as canonical JSON, or what is wrong with it.

    Schemas and code locations come again with every run, so the last few thousand sound ones are remembered by their
    bytes: equal facets then are one bytes object, and are checked once.
    """
    value = orjson.dumps(facet, option=orjson.OPT_SORT_KEYS)
    known = _known.get((name, value))
    if known is not None:
        return known
    check = CHECKS.get(name)
    if check and (complaint := check(facet)):
        return complaint
    if len(value) <= MAX_KNOWN_BYTES:
        if len(_known) >= MAX_KNOWN:
            _known.clear()
        _known[name, value] = value
    return value
