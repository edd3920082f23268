"""The replay manifest: what is needed to run the work behind a generation again, and to tell whether it is the same.

Its shape is ``replay-manifest-1.schema.json``, beside this file. It holds nothing of the time or place at which it was
made, so two manifests of one generation from stores that hold the same events are equal.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from hashlib import sha256
from importlib.resources import files
from typing import Any, Final

from headwater.collector.questions import Questions
from headwater.collector.questions.shapes import Json
from headwater.collector.stores.forgetting import STATISTICS
from headwater.collector.stores.reading import Document, EventFilter
from headwater.shared import times
from headwater.shared.canonical import canonical_json
from headwater.shared.codec import decode
from headwater.shared.errors import InvalidEventError
from headwater.shared.event import Name

FORMAT: Final = "headwater.replay-manifest/1"
SCHEMA_FILE: Final = "replay-manifest-1.schema.json"
MAX_EVENTS: Final = 1000
"""Event ids of the run that a manifest lists."""
_PAGE: Final = 100
"""Documents fetched at a time: one may have 16 MiB."""
_CODE = ("sourceCodeLocation", "sourceCode", "sql", "jobType")
_ARGUMENTS = "headwater_args"


class NotPublishedError(Exception):
    """There is no manifest of what no single run committed."""

    def __init__(self, dataset: Name, answer: Mapping[str, Any]) -> None:
        self.status: str = answer["status"]
        self.generation: str | None = answer["generation"]
        runs = f" by {', '.join(answer['conflict'])}" if answer["conflict"] else ""
        what = f"generation {self.generation}" if self.generation is not None else "there is no current generation"
        super().__init__(f"{dataset.namespace}/{dataset.name}: {what}, status {self.status}{runs}")


def schema() -> Json:
    """The JSON Schema of a manifest."""
    found: Json = json.loads(files(__package__).joinpath(SCHEMA_FILE).read_text("utf-8"))
    return found


def digest_of(manifest: Mapping[str, Any]) -> str:
    """SHA-256 of the canonical JSON, 64 hex digits."""
    return sha256(canonical_json(dict(manifest))).hexdigest()


async def manifest_of(questions: Questions, dataset: Name, generation: str | None = None) -> Json:
    """The manifest of a published generation, by default the current one. Raises NotPublishedError."""
    answer = await questions.evidence(dataset, generation, depth=2)
    if answer["status"] != "published":
        raise NotPublishedError(dataset, answer)
    run = await questions.run(answer["run"]["runId"])
    assert run is not None, "evidence named it"
    events, truncated = await _events(questions, run["runId"])
    producers = {
        (each["dataset"]["namespace"], each["dataset"]["name"], each["generation"]): each for each in answer["sources"]
    }
    return {
        "format": FORMAT,
        "subject": {
            "dataset": answer["dataset"],
            "generation": answer["generation"],
            "committedAt": answer["committedAt"],
            "withdrawn": answer["withdrawn"],
            "bad": answer["bad"],
        },
        "run": {key: run[key] for key in ("runId", "job", "attempt", "state", "started", "ended", "parent", "root")},
        "logicalRun": await _logical(questions, run),
        "code": {name: _said(run["jobFacets"].get(name)) for name in _CODE},
        "environment": _environment(run["facets"]),
        "parameters": _parameters(run["facets"]),
        "inputs": [_input(each, run, producers) for each in answer["inputs"]],
        "edges": answer["edges"],
        "outputs": [
            {"dataset": each["dataset"], "generation": each["version"], "committedAt": each["committedAt"]}
            for each in run["outputs"]
            if each["status"] == "committed"
        ],
        "events": events,
        "eventsTruncated": truncated,
    }


def _said(facet: Mapping[str, Any] | None) -> Json | None:
    """A facet without what says who wrote it."""
    return None if facet is None else {key: value for key, value in facet.items() if not key.startswith("_")}


async def _logical(questions: Questions, run: Json) -> Json:
    key = run["logicalKey"]
    found = await questions.logical_run(key) if key else None
    alone = {"runId": run["runId"], "attempt": None, "state": run["state"], **_times(run)}
    return {
        "key": key,
        "nominalStart": run["nominalStart"],
        "nominalEnd": run["nominalEnd"],
        "winner": found["winner"] if found else run["runId"],
        "attempts": [
            {"runId": each["runId"], "attempt": each["attempt"], "state": each["state"], **_times(each)}
            for each in found["attempts"]
        ]
        if found
        else [alone],
        "changed": found["changed"] if found else [],
        "truncated": bool(found and found["truncated"]),
    }


def _times(run: Mapping[str, Any]) -> Json:
    return {"started": run["started"], "ended": run["ended"]}


def _environment(facets: Mapping[str, Any]) -> Json:
    said = facets.get("environmentVariables") or {}
    variables = {each["name"]: each.get("value") for each in _entries(said, "environmentVariables", "name")}
    return {"engine": _said(facets.get("processing_engine")), "variables": dict(sorted(variables.items()))}


def _parameters(facets: Mapping[str, Any]) -> Json:
    said = facets.get("executionParameters") or {}
    values = {each["key"]: each.get("value") for each in _entries(said, "parameters", "key")}
    arguments = (facets.get(_ARGUMENTS) or {}).get("args")
    return {
        "execution": dict(sorted(values.items())),
        "arguments": dict(sorted(arguments.items())) if isinstance(arguments, dict) else {},
    }


def _entries(facet: Any, key: str, named: str) -> list[dict[str, Any]]:
    """The list in a facet whose shape nobody checked."""
    found = facet.get(key) if isinstance(facet, dict) else None
    entries = found if isinstance(found, list) else []
    return [each for each in entries if isinstance(each, dict) and isinstance(each.get(named), str)]


def _input(pin: Json, run: Json, producers: Mapping[tuple[str, str, str], Json]) -> Json:
    name = pin["dataset"]
    source = producers.get((name["namespace"], name["name"], pin["version"]))
    made = source["run"]["runId"] if source and source["run"] else None
    return {
        "dataset": name,
        "generation": pin["version"],
        "pin": pin["grade"],
        "producedBy": made,
        "status": source["status"] if source else "unknown",
        "facets": _input_facets(run, name, pin["version"]),
    }


def _input_facets(run: Json, name: Json, version: str | None) -> Json:
    """What the run said of this input itself: positions, subsets, the schema it saw. Sizes are no evidence, and kept
    for a shorter time."""
    found: Json = {}
    for each in run["datasetFacets"]:
        if each["side"].startswith("INPUT") and each["dataset"] == name and each["version"] in (None, version):
            said = {key: value for key, value in each["facets"].items() if isinstance(value, dict)}
            found |= {key: _said(value) for key, value in said.items() if key not in STATISTICS}
    return dict(sorted(found.items()))


async def _events(questions: Questions, run_id: str) -> tuple[list[Json], bool]:
    """Of the run, by event time."""
    where = EventFilter(run=run_id, descending=False)
    found: list[Json] = []
    while page := await questions.reader.list_documents(where, _PAGE, len(found)):
        found += map(_event, page)
        if len(found) > MAX_EVENTS:
            return found[:MAX_EVENTS], True
        if len(page) < _PAGE:
            break
    return sorted(found, key=lambda each: (each["time"] or "", each["id"])), False


def _event(document: Document) -> Json:
    """The id that the store has it under: what became of its bytes since then is for ``checking`` to find."""
    try:
        event = decode(document.raw)
    except InvalidEventError:
        return {"id": document.event_id, "type": None, "time": None}
    return {"id": document.event_id, "type": event.event_type, "time": times.display(event.event_time)}


def subject_of(manifest: Mapping[str, Any]) -> tuple[Name, str]:
    """The generation that a manifest is of."""
    subject = manifest["subject"]
    return Name(**subject["dataset"]), subject["generation"]
