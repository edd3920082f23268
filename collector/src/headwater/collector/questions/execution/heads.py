"""What every answer says of a job run, in one line."""

from __future__ import annotations

from typing import Final

from headwater.collector.derive.job_run import history_of
from headwater.collector.derive.logical import logical_key
from headwater.collector.questions.lookup import WALK_FACETS, state_of
from headwater.collector.questions.runs import HEAD_FACETS
from headwater.collector.questions.shapes import Json, name_json, time_json
from headwater.collector.stores.reading import RunFacts
from headwater.collector.wants import DEP_MISS_FACET

JOB_RUN_FACETS: Final = WALK_FACETS | HEAD_FACETS | {DEP_MISS_FACET}
"""All that these answers read of a run's facets."""


def head_json(run: RunFacts) -> Json:
    """``queued``: when it was last said to wait; ``started`` and ``ended`` are the run's (rule 2)."""
    changes, state = history_of(run.states), state_of(run)
    queued = [change.time for change in changes if change.status == "Queued"]
    return {
        "runId": run.run,
        "job": run.job and name_json(run.job),
        "status": changes[-1].status if changes else "New",
        "logicalKey": logical_key(run.job, run.facets),
        "queued": time_json(queued[-1]) if queued else None,
        "started": time_json(state.started),
        "ended": time_json(state.ended),
    }
