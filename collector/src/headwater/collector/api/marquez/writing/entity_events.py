"""Events for the old PUT of datasets and jobs, and for runs and their states."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from headwater.collector.catalog import ARGS_FACET, DATASET_FACET
from headwater.shared import times
from headwater.shared.event import Name

from ...services import Json
from .catalog_events import tagging
from .envelope import dataset_event, documentation, facet, job_event, run_event
from .requests import DatasetBody, JobBody, RunBody

STATES: Final = {"start": "START", "complete": "COMPLETE", "fail": "FAIL", "abort": "ABORT"}
"""What a client calls, and the event's type."""
_PROCESSING: Final = {"BATCH": "BATCH", "STREAM": "STREAMING", "SERVICE": "SERVICE"}
_DATASET_TYPES: Final = {"DB_TABLE": "TABLE", "STREAM": "STREAM"}


def dataset_facets(body: DatasetBody, url: str | None) -> Json:
    """All that a body says of a dataset. ``url``: of its source, where that is known."""
    facets: Json = {
        DATASET_FACET: facet(physicalName=body.physicalName, schemaLocation=body.schemaLocation),
        "datasetType": facet(datasetType=_DATASET_TYPES[body.type]),
        "dataSource": facet(name=body.sourceName, uri=url),
        **documentation(body.description),
    }
    if body.fields_ is not None:
        columns = [{"name": f.name, "type": f.type, "description": f.description} for f in body.fields_]
        facets["schema"] = facet(fields=[{k: v for k, v in column.items() if v is not None} for column in columns])
        for field in body.fields_:
            for tag in field.tags or ():
                facets |= tagging(tag.upper(), field.name, given=True)
    for tag in body.tags or ():
        facets |= tagging(tag, None, given=True)
    return facets


def dataset_events(now: str, dataset: Name, facets: Json, run: tuple[str, Name] | None) -> Iterable[Json]:
    """The dataset as described; of a body that names a run (with its job), that the run wrote it."""
    yield dataset_event(now, dataset, facets)
    if run:
        yield run_event(now, *run, outputs=[{**dataset._asdict(), "facets": facets}])


def job_events(now: str, job: Name, body: JobBody, run: str | None) -> Iterable[Json]:
    """The job as designed; of a body that names a run, that the run read and wrote so."""
    code = {"_deleted": True} if body.location is None else {"type": "git", "url": body.location}
    facets = {
        "jobType": facet(processingType=_PROCESSING[body.type], integration="HEADWATER", jobType="JOB"),
        "sourceCodeLocation": facet(**code),
        **documentation(body.description),
    }
    sides = {
        side: [Name(each.namespace, each.name) for each in listed]
        for side, listed in (("inputs", body.inputs), ("outputs", body.outputs))
        if listed is not None
    }
    yield job_event(now, job, facets, **sides)
    if run:
        read, wrote = ([name._asdict() for name in sides.get(side, ())] for side in ("inputs", "outputs"))
        yield run_event(now, run, job, inputs=read, outputs=wrote)


def creation(now: str, run: str, job: Name, body: RunBody, inputs: Iterable[Name]) -> Json:
    """A run that is to be; it reads what its job was designed to read."""
    facets: Json = {}
    if body.nominalStartTime:
        end = body.nominalEndTime
        facets["nominalTime"] = facet(
            nominalStartTime=times.display(body.nominalStartTime), nominalEndTime=end and times.display(end)
        )
    if body.args:
        facets[ARGS_FACET] = facet(args=body.args)
    return run_event(now, run, job, facets=facets, inputs=[name._asdict() for name in inputs])


def state_change(at: str, run: str, job: Name, kind: str, outputs: Iterable[Name]) -> Json:
    """A run starts or ends. A run that completes wrote what its job was designed to write."""
    return run_event(at, run, job, kind=kind, outputs=[name._asdict() for name in outputs])
