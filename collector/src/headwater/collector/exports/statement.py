"""The manifest as an in-toto Statement (v1) with SLSA provenance v1: what other supply-chain tools read.

A generation's content is not in headwater, so its digest names it and does not hash it: ``headwaterGeneration`` is the
SHA-256 of the canonical JSON of dataset and generation. The second subject is the manifest itself, by content.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from hashlib import sha256
from importlib.metadata import version
from typing import Any, Final
from urllib.parse import quote

from headwater.collector.exports.manifest import digest_of
from headwater.collector.questions.shapes import Json
from headwater.shared.canonical import canonical_json

STATEMENT_TYPE: Final = "https://in-toto.io/Statement/v1"
PREDICATE_TYPE: Final = "https://slsa.dev/provenance/v1"
BUILD_TYPE: Final = "urn:headwater:build-type:dataset-run:1"
PAYLOAD_TYPE: Final = "application/vnd.in-toto+json"
_COMMIT = re.compile(r"[0-9a-f]{40}|[0-9a-f]{64}")


def statement_of(manifest: Mapping[str, Any]) -> Json:
    """The statement; equal for equal manifests of one release of headwater."""
    subject, run, logical = manifest["subject"], manifest["run"], manifest["logicalRun"]
    made = _generation(subject["dataset"], subject["generation"])
    if words := {key: subject[key] for key in ("withdrawn", "bad") if subject[key] is not None}:
        made["annotations"] = words
    return {
        "_type": STATEMENT_TYPE,
        "subject": [made, {"name": f"{made['name']} replay manifest", "digest": {"sha256": digest_of(manifest)}}],
        "predicateType": PREDICATE_TYPE,
        "predicate": {
            "buildDefinition": {
                "buildType": BUILD_TYPE,
                "externalParameters": {
                    "job": run["job"],
                    "logicalRun": logical["key"],
                    "nominalStart": logical["nominalStart"],
                    "nominalEnd": logical["nominalEnd"],
                    **manifest["parameters"],
                },
                "internalParameters": {"environment": manifest["environment"], "sql": manifest["code"]["sql"]},
                "resolvedDependencies": [*_code(manifest["code"]), *map(_input, manifest["inputs"])],
            },
            "runDetails": {
                "builder": {"id": _job_uri(run["job"]), "version": {"headwater": version("headwater-collector")}},
                "metadata": _without_nulls(
                    {
                        "invocationId": f"urn:uuid:{run['runId']}",
                        "startedOn": run["started"],
                        "finishedOn": run["ended"],
                    }
                ),
                "byproducts": [
                    {"name": f"OpenLineage event {each['id']}", "digest": {"headwaterEvent": each["id"]}}
                    for each in manifest["events"]
                ],
            },
        },
    }


def generation_digest(dataset: Mapping[str, str], generation: str) -> str:
    """64 hex digits that name a generation."""
    named = {"namespace": dataset["namespace"], "name": dataset["name"], "generation": generation}
    return sha256(canonical_json(named)).hexdigest()


def _generation(dataset: Mapping[str, str], generation: str) -> Json:
    return {
        "name": f"{dataset['namespace']}/{dataset['name']}@{generation}",
        "uri": _uri("dataset", dataset["namespace"], dataset["name"], generation),
        "digest": {"headwaterGeneration": generation_digest(dataset, generation)},
    }


def _input(pin: Mapping[str, Any]) -> Json:
    dataset = pin["dataset"]
    notes = {"pin": pin["pin"], "producedBy": pin["producedBy"]}
    if pin["generation"] is None:
        uri = _uri("dataset", dataset["namespace"], dataset["name"])
        return {"name": f"{dataset['namespace']}/{dataset['name']}", "uri": uri, "annotations": notes}
    return {**_generation(dataset, pin["generation"]), "annotations": notes}


def _code(code: Mapping[str, Any]) -> list[Json]:
    location = code["sourceCodeLocation"]
    if not location:
        return []
    where = location.get("repoUrl") or location.get("url")
    release = location.get("version")
    found: Json = {"name": "code", "annotations": location}
    if isinstance(where, str):
        kind = f"{location['type']}+" if location.get("type") == "git" else ""
        found["uri"] = f"{kind}{where}" + (f"@{release}" if isinstance(release, str) else "")
    if isinstance(release, str) and _COMMIT.fullmatch(release):
        found["digest"] = {"gitCommit": release}
    return [found]


def _job_uri(job: Mapping[str, str] | None) -> str:
    return _uri("job", job["namespace"], job["name"]) if job else "urn:headwater:job:unknown"


def _uri(*parts: str) -> str:
    return ":".join(("urn:headwater", *(quote(part, safe="") for part in parts)))


def _without_nulls(found: Json) -> Json:
    return {key: value for key, value in found.items() if value is not None}
