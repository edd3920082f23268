"""What is left of an event: run, times, state, which data went where. Nothing is copied that is not named here.

An erased job or dataset has another name, its versions and columns likewise. Of facets only those stay that make edges,
pins, attempts and identities, and of these only the parts that do.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any, Final

from headwater.collector.erasing.matching import CATALOG, Matcher
from headwater.collector.erasing.pseudonyms import Pseudonyms
from headwater.collector.wants import DEP_MISS_FACET, QUEUED_FACET, WANT_FACET, WANTS_FACET, WANTS_NAMESPACE
from headwater.shared.codec import run_uuid
from headwater.shared.event import Name

Json = dict[str, Any]
MARKER: Final = "headwater_erased"
_SOURCE: Final = {"_producer": "urn:headwater:erasure", "_schemaURL": "urn:headwater:erasure"}
_ENVELOPE: Final = ("eventType", "eventTime", "producer", "schemaURL")
_SILENCE: Final = {"lastSeen": str, "afterSeconds": int, "_deleted": bool}
_IMPLIED: Final = re.compile(r"~[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")
"""The generation that a run implies: a run's id says nothing."""
_FLAGS: Final = {"headwater_withdrawal": "withdrawn", "headwater_bad": "bad"}


def skeleton(body: Mapping[str, Any], matcher: Matcher, pseudonyms: Pseudonyms) -> Json | None:
    """For an event that is touched. None: nothing of it is to be left, it describes what is erased and nothing else."""
    return _Skeleton(matcher, pseudonyms).event(body)


class _Skeleton:
    """One event's; facets are copied by the methods that have their names."""

    def __init__(self, matcher: Matcher, pseudonyms: Pseudonyms) -> None:
        self._matcher, self._pseudonyms = matcher, pseudonyms

    def event(self, body: Mapping[str, Any]) -> Json | None:
        found: Json = {key: self._text(body[key]) for key in _ENVELOPE if isinstance(body.get(key), str)}
        marker = {MARKER: {**_SOURCE, "erased": True}}
        if "run" in body:
            facets = _facets(body["run"])
            own = self._matcher.is_erased(_name(body["job"]))
            found["run"] = {"runId": run_uuid(body["run"]["runId"]), "facets": self._run(facets, own) | marker}
        if "dataset" in body and "run" not in body and "job" not in body:
            name = _name(body["dataset"])
            if name.namespace == WANTS_NAMESPACE:
                found["dataset"] = self._want(name, _facets(body["dataset"]), marker)
                return found
            if name.namespace.startswith(CATALOG) and self._matcher.is_erased(name):
                return None
            found["dataset"] = self._mention(body["dataset"])
            found["dataset"]["facets"] |= marker
            return found
        found["job"] = self._named(body["job"]) | {"facets": self._job(_facets(body["job"]))}
        if "run" not in body:
            found["job"]["facets"] |= marker
        for side in ("inputs", "outputs"):
            if isinstance(body.get(side), list):
                found[side] = [self._mention(each) for each in body[side]]
        return found

    def _text(self, text: str) -> str:
        return self._pseudonyms.text(text) if self._matcher.holds(text) else text

    def _new_name(self, name: Name) -> Name:
        return self._pseudonyms.name(name) if self._matcher.is_erased(name) else name

    def _named(self, said: Mapping[str, Any]) -> Json:
        return dict(self._new_name(_name(said))._asdict())

    def _of(self, name: Name, text: str) -> str:
        """A version or a column of a dataset."""
        return self._pseudonyms.text(*name, text) if self._matcher.is_erased(name) else self._text(text)

    def _run(self, facets: Mapping[str, Any], own: bool) -> Json:
        found: Json = {}
        if (parent := facets.get("parent")) is not None:
            found["parent"] = _SOURCE | self._link(parent)
            if isinstance(root := parent.get("root"), Mapping):
                found["parent"]["root"] = self._link(root)
        if (nominal := facets.get("nominalTime")) is not None:
            times = {key: nominal[key] for key in ("nominalStartTime", "nominalEndTime") if nominal.get(key)}
            found["nominalTime"] = _SOURCE | times
        if (silent := facets.get("headwater_interrupted")) is not None:
            found["headwater_interrupted"] = _SOURCE | {
                key: silent[key] for key, kind in _SILENCE.items() if type(silent.get(key)) is kind
            }
        if (attempt := facets.get("headwater_attempt")) is not None and isinstance(attempt.get("logicalKey"), str):
            key = attempt["logicalKey"]
            found["headwater_attempt"] = _SOURCE | {
                "logicalKey": self._pseudonyms.text(key) if own else self._text(key)
            }
        found |= self._wants(facets)
        return found

    def _wants(self, facets: Mapping[str, Any]) -> Json:
        """What a job run says of wants, without the comments."""
        found: Json = {}
        if QUEUED_FACET in facets:
            found[QUEUED_FACET] = dict(_SOURCE)
        if (serves := facets.get(WANTS_FACET)) is not None:
            ids = [self._text(each) for each in _list(serves.get("wants")) if isinstance(each, str)]
            found[WANTS_FACET] = _SOURCE | {"wants": ids}
        if (miss := facets.get(DEP_MISS_FACET)) is not None:
            spawned = [
                {"id": self._text(each["id"])} | self._partitions(each, "partitions")
                for each in _list(miss.get("wants"))
                if isinstance(each, Mapping) and isinstance(each.get("id"), str)
            ]
            found[DEP_MISS_FACET] = _SOURCE | self._partitions(miss, "missing") | {"wants": spawned}
        return found

    def _want(self, name: Name, facets: Mapping[str, Any], marker: Json) -> Json:
        said = (
            {WANT_FACET: _SOURCE | self._partitions(facets[WANT_FACET], "partitions")} if WANT_FACET in facets else {}
        )
        return {"namespace": name.namespace, "name": self._text(name.name), "facets": said | marker}

    def _partitions(self, said: Mapping[str, Any], key: str) -> Json:
        listed = said.get(key)
        return {key: [self._named(each) for each in listed if _is_name(each)]} if isinstance(listed, list) else {}

    def _link(self, said: Mapping[str, Any]) -> Json:
        found: Json = {}
        if isinstance(run := said.get("run"), Mapping) and isinstance(run.get("runId"), str):
            found["run"] = {"runId": run_uuid(run["runId"])}
        if _is_name(said.get("job")):
            found["job"] = self._named(said["job"])
        return found

    def _job(self, facets: Mapping[str, Any]) -> Json:
        found: Json = {}
        if (lineage := facets.get("lineage")) is not None:
            found["lineage"] = _SOURCE | self._lineage(lineage)
        return found

    def _mention(self, said: Mapping[str, Any]) -> Json:
        name, facets = _name(said), _facets(said)
        found: Json = {}
        if _deletes(facets.get("version")) or isinstance(
            (facets.get("version") or {}).get("datasetVersion"), str | int
        ):
            version = facets["version"]
            found["version"] = _SOURCE | (
                {"_deleted": True}
                if _deletes(version)
                else {"datasetVersion": self._of(name, str(version["datasetVersion"]))}
            )
        for facet, copy in (
            ("symlinks", self._symlinks),
            ("lifecycleStateChange", self._lifecycle),
            ("lineage", self._lineage),
        ):
            if isinstance(value := facets.get(facet), Mapping):
                found[facet] = _SOURCE | ({"_deleted": True} if _deletes(value) else copy(value))
        if isinstance(columns := facets.get("columnLineage"), Mapping):
            found["columnLineage"] = _SOURCE | (
                {"_deleted": True} if _deletes(columns) else self._columns(name, columns)
            )
        for facet, flag in _FLAGS.items():
            if isinstance(value := facets.get(facet), Mapping):
                found[facet] = _SOURCE | self._word(name, value, flag)
        if isinstance(deleted := facets.get("headwater_deleted"), Mapping) and isinstance(deleted.get("asOf"), str):
            found["headwater_deleted"] = _SOURCE | {"asOf": deleted["asOf"]}
        mention: Json = self._named(said) | {"facets": found}
        if isinstance(own := said.get("outputFacets"), Mapping) and "headwater_commit" in own:
            mention["outputFacets"] = {"headwater_commit": dict(_SOURCE)}
        return mention

    def _symlinks(self, said: Mapping[str, Any]) -> Json:
        names = [each for each in _list(said.get("identifiers")) if _is_name(each)]
        return {"identifiers": [self._named(each) | {"type": "TABLE"} for each in names]}

    def _lifecycle(self, said: Mapping[str, Any]) -> Json:
        found: Json = {"lifecycleStateChange": said.get("lifecycleStateChange")}
        if _is_name(said.get("previousIdentifier")):
            found["previousIdentifier"] = self._named(said["previousIdentifier"])
        return found

    def _word(self, name: Name, said: Mapping[str, Any], flag: str) -> Json:
        found: Json = {key: said[key] for key in (flag, "_deleted") if type(said.get(key)) is bool}
        if isinstance(said.get("generations"), list):
            listed = [each for each in said["generations"] if isinstance(each, str)]
            found["generations"] = [each if _IMPLIED.fullmatch(each) else self._of(name, each) for each in listed]
        return found

    def _lineage(self, said: Mapping[str, Any]) -> Json:
        """The explicit facet: of a job its entries, of an output its inputs."""
        found: Json = {}
        if isinstance(said.get("entries"), list):
            found["entries"] = [
                self._named(each) | {"type": each.get("type")} | self._lineage(each)
                for each in said["entries"]
                if _is_name(each)
            ]
        if isinstance(said.get("inputs"), list):
            found["inputs"] = self._sources(said["inputs"])
        if isinstance(said.get("fields"), Mapping):
            owner = _name(said) if _is_name(said) else None
            found["fields"] = {
                self._of(owner, column) if owner else self._text(column): {"inputs": self._sources(_inputs(each))}
                for column, each in said["fields"].items()
            }
        return found

    def _columns(self, owner: Name, said: Mapping[str, Any]) -> Json:
        fields = said.get("fields")
        found: Json = {
            "fields": {
                self._of(owner, column): {"inputFields": self._sources(_inputs(each))}
                for column, each in (fields if isinstance(fields, Mapping) else {}).items()
            }
        }
        if isinstance(said.get("dataset"), list):
            found["dataset"] = self._sources(said["dataset"])
        return found

    def _sources(self, sources: Iterable[Any]) -> list[Json]:
        found = []
        for each in sources:
            if _is_name(each):
                source = self._named(each)
                if isinstance(each.get("field"), str):
                    source["field"] = self._of(_name(each), each["field"])
                if isinstance(each.get("type"), str):
                    source["type"] = each["type"]
                changes = [one for one in _list(each.get("transformations")) if isinstance(one, Mapping)]
                if changes:
                    kept = ("type", "subtype")
                    source["transformations"] = [{key: one[key] for key in kept if key in one} for one in changes]
                found.append(source)
        return found


def _inputs(said: Any) -> list[Any]:
    """Of one column, in either facet."""
    if not isinstance(said, Mapping):
        return []
    return _list(said.get("inputFields")) or _list(said.get("inputs"))


def _name(said: Mapping[str, Any]) -> Name:
    return Name(said["namespace"], said["name"])


def _is_name(said: Any) -> bool:
    return isinstance(said, Mapping) and all(isinstance(said.get(key), str) for key in ("namespace", "name"))


def _facets(said: Mapping[str, Any]) -> dict[str, Any]:
    """Those that are objects."""
    facets = said.get("facets")
    return {key: value for key, value in facets.items() if isinstance(value, dict)} if isinstance(facets, dict) else {}


def _deletes(facet: Any) -> bool:
    return isinstance(facet, Mapping) and facet.get("_deleted") is True


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []
