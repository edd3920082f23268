"""Marquez's run lineage, and its mirror image downstream."""

from __future__ import annotations

from headwater.collector.derive.state import derive_state
from headwater.collector.questions.run_lineage import RunInput, RunOutput, RunStep, RunWalk
from headwater.collector.stores.reading import Reader

from ..services import Json
from .runs import job_version, shown
from .versions import run_generation_uuid
from .views import run_views


async def run_lineage_shape(reader: Reader, walk: RunWalk, *, upstream: bool) -> Json:
    """{runs: [{job, run, inputs}]}, nearest first; downstream ``outputs`` instead. ``producedByRunId`` is null where
    nobody wrote the input, and where several runs committed that generation: ``conflict`` names those."""
    views = await run_views(reader, [step.run.run for step in walk.steps])
    runs: list[Json] = []
    for step in walk.steps:
        view = views.get(step.run.run)
        version = job_version(view) if view is not None else None
        state = derive_state(step.run.states)
        side = "inputs" if upstream else "outputs"
        runs.append(
            {
                "job": {
                    **(step.run.job._asdict() if step.run.job else {"namespace": None, "name": None}),
                    "version": version and version["version"],
                },
                "run": {
                    "id": step.run.run,
                    "start": shown(state.started),
                    "end": shown(state.ended),
                    "status": state.state,
                },
                side: _inputs(step) if upstream else _outputs(step),
                "distance": step.distance,
            }
        )
    return {"runs": runs, "truncated": walk.truncated_by is not None, "truncatedBy": walk.truncated_by}


def _inputs(step: RunStep) -> list[Json]:
    return [_input(each) for each in step.inputs]


def _input(each: RunInput) -> Json:
    sole = each.produced_by[0] if len(each.produced_by) == 1 else None
    conflict = {"conflict": each.produced_by} if len(each.produced_by) > 1 else {}
    return {
        **each.pin.dataset._asdict(),
        "version": run_generation_uuid(each.pin.dataset, each.pin.version),
        "producedByRunId": sole,
        "generation": each.pin.version,
        "grade": each.pin.grade,
        **conflict,
    }


def _outputs(step: RunStep) -> list[Json]:
    return [_output(each) for each in step.outputs]


def _output(each: RunOutput) -> Json:
    claim = each.claim
    return {
        **claim.dataset._asdict(),
        "version": run_generation_uuid(claim.dataset, claim.version),
        "consumedByRunIds": each.consumed_by,
        "generation": claim.version,
        "status": "committed" if claim.commit_time else "candidate",
    }
