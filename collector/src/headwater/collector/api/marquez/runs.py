"""Marquez's Run."""

from __future__ import annotations

from datetime import datetime, timedelta
from functools import lru_cache

from headwater.collector.catalog import ARGS_FACET
from headwater.collector.derive.state import state_by
from headwater.collector.interruption import INTERRUPTED
from headwater.collector.questions.shapes import name_json
from headwater.collector.stores.reading import Facets
from headwater.shared import times
from headwater.shared.codec import run_uuid
from headwater.shared.event import Name

from ..services import Json
from .facets import object_of, shown_facets, text_of
from .versions import job_version_uuid, run_generation_uuid
from .views import RunView


def run(view: RunView) -> Json:
    """A Run; ``facets`` are the run facets. ``contradiction``, ``generation``, ``grade`` and ``status`` are ours."""
    facts = view.facts
    state = state_by(facts.states)
    return {
        "id": facts.run,
        "createdAt": shown(facts.first_time or facts.named_time),
        "updatedAt": shown(facts.last_time or facts.named_time),
        "nominalStartTime": _facet_time(facts.facets, "nominalStartTime"),
        "nominalEndTime": _facet_time(facts.facets, "nominalEndTime"),
        "state": "ABORTED" if state.state == INTERRUPTED else state.state,  # Marquez's clients know no other word
        "startedAt": shown(state.started),
        "endedAt": shown(state.ended),
        "durationMs": _duration_ms(state.started, state.ended),
        "args": _args(view),
        "jobVersion": job_version(view),
        "inputDatasetVersions": [
            {
                "datasetVersionId": _version_id(read.pin.dataset, read.pin.version),
                "facets": read.own_facets,
                "generation": read.pin.version,
                "grade": read.pin.grade,
            }
            for read in view.reads
        ],
        "outputDatasetVersions": [
            {
                "datasetVersionId": _version_id(write.claim.dataset, write.claim.version),
                "facets": write.own_facets,
                "generation": write.claim.version,
                "status": "changed" if write.changed else "committed" if write.claim.commit_time else "candidate",
            }
            for write in view.writes
        ],
        "facets": shown_facets(facts.facets),
        "contradiction": state.contradiction,
    }


def job_version(view: RunView) -> Json | None:
    """The version of the job as this run of it read, wrote and was located; None until the run has ended."""
    job = view.facts.job
    if job is None or state_by(view.facts.states).ended is None:
        return None
    inputs = [read.pin.dataset for read in view.reads]
    outputs = [write.claim.dataset for write in view.writes]
    location = text_of(view.facts.job_facets, "sourceCodeLocation", "url")
    return {**job._asdict(), "version": job_version_uuid(job, inputs, outputs, location)}


def parent_of(view: RunView) -> tuple[str, Name | None] | None:
    """The parent facet's run and job; a run that names itself has none."""
    parent = view.facts.facets.get("parent")
    if parent is None:
        return None
    run_id = object_of(parent, "run").get("runId")
    if not isinstance(run_id, str) or run_uuid(run_id) == view.facts.run:
        return None
    job = object_of(parent, "job")
    named = isinstance(job.get("namespace"), str) and isinstance(job.get("name"), str)
    return run_uuid(run_id), Name(job["namespace"], job["name"]) if named else None


@lru_cache(maxsize=16_384)
def shown(canonical: str | None) -> str | None:
    """A time as Marquez writes it: rounded to microseconds."""
    if canonical is None:
        return None
    if canonical[26:29] == "000":
        return times.display(canonical)
    micros = (int(canonical[20:29]) + 500) // 1000
    if micros < 1_000_000:
        return times.display(f"{canonical[:20]}{micros:06d}000Z")
    try:
        following = datetime.fromisoformat(canonical[:19]) + timedelta(seconds=1)
    except OverflowError:
        return times.display(f"{canonical[:20]}999999000Z")
    return f"{following.isoformat()}Z"


def _args(view: RunView) -> Json:
    stated = object_of(view.facts.facets.get(ARGS_FACET, {}), "args")
    args: Json = {key: value for key, value in stated.items() if isinstance(value, str)}
    for key, facet_key in (("nominal_start_time", "nominalStartTime"), ("nominal_end_time", "nominalEndTime")):
        if not stated and (time := _facet_time(view.facts.facets, facet_key)):
            args[key] = time
    if parent := parent_of(view):
        run_id, job = parent
        args["run_id"] = run_id
        if job:
            args |= {"name": job.name, "namespace": job.namespace}
    return args


def _version_id(dataset: Name, generation: str | None) -> Json:
    return {**name_json(dataset), "version": run_generation_uuid(dataset, generation)}


def _facet_time(facets: Facets, key: str) -> str | None:
    text = text_of(facets, "nominalTime", key)
    return _displayed(text) if text else None


@lru_cache(maxsize=4_096)
def _displayed(text: str) -> str | None:
    try:
        return times.display(times.parse(text))
    except ValueError:
        return None


def _duration_ms(started: str | None, ended: str | None) -> int | None:
    if started is None or ended is None:
        return None
    return round((times.to_epoch_s(ended) - times.to_epoch_s(started)) * 1000)
