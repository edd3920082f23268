"""Marquez's Job."""

from __future__ import annotations

from headwater.collector.questions.shapes import name_json

from ..services import Json
from . import facets as read
from .runs import job_version, parent_of, shown
from .runs import run as run_shape
from .tags import tags
from .versions import current_job_version_uuid, job_version_uuid
from .views import JobView

_TYPES = {"STREAMING": "STREAM", "SERVICE": "SERVICE"}


def job(view: JobView) -> Json:
    """A Job. ``latestRuns`` are all that the view holds."""
    runs = [run_shape(each) for each in view.latest]
    facts = view.facts
    shared = _shared(view, runs)
    return {
        **shared,
        "latestRuns": runs,
        "facets": read.shown_facets(facts.facets),
        "currentVersion": current_version(view),
        "labels": [],
        "tags": tags(facts.facets),
        "owners": read.owners(facts.facets),
    }


def written_job(view: JobView) -> Json:
    """How a write is answered: Marquez leaves the runs out."""
    return {**job(view), "latestRun": None, "latestRuns": None}


def current_version(view: JobView) -> str | None:
    """Of the newest run that ended; None while none did."""
    found = next((version for each in view.latest if (version := job_version(each))), None)
    return current_job_version_uuid(found["version"]) if found else None


def job_data(view: JobView) -> Json:
    """The ``data`` of a JOB node in a graph."""
    runs = [run_shape(each) for each in view.latest[:1]]
    return {**_shared(view, runs), "currentRunUuid": runs[0]["id"] if runs else None}


def _shared(view: JobView, runs: list[Json]) -> Json:
    facts, (namespace, name) = view.facts, view.facts.job
    parent = next((found[1] for each in view.latest if (found := parent_of(each)) and found[1]), None)
    simple = name.removeprefix(f"{parent.name}.") if parent else name.rpartition(".")[2]
    return {
        "id": {"namespace": namespace, "name": name},
        "type": _TYPES.get((read.text_of(facts.facets, "jobType", "processingType") or "").upper(), "BATCH"),
        "name": name,
        "simpleName": simple or name,
        "parentJobName": parent.name if parent else None,
        "parentJobUuid": job_version_uuid(parent, (), (), None) if parent else None,
        "createdAt": shown(facts.first_time),
        "updatedAt": shown(facts.last_time),
        "namespace": namespace,
        "inputs": [name_json(each) for each in view.inputs],
        "outputs": [name_json(each) for each in view.outputs],
        "location": read.text_of(facts.facets, "sourceCodeLocation", "url"),
        "description": read.text_of(facts.facets, "documentation", "description"),
        "latestRun": runs[0] if runs else None,
    }
