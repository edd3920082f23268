"""Questions about runs: one with its history, lists, logical runs and their attempts (rules 1, 2, 9, 11)."""

from __future__ import annotations

from typing import Any

from headwater.collector.derive.failure import ERROR_FACETS, error_of
from headwater.collector.derive.logical import logical_key
from headwater.collector.interruption import INTERRUPTED, INTERRUPTED_FACET
from headwater.collector.questions.lookup import Lookup, state_of
from headwater.collector.questions.shapes import Json, name_json, run_json, time_json
from headwater.collector.stores.reading import Claim, Reader, RunFacts, RunFilter, RunRow
from headwater.shared import times
from headwater.shared.codec import run_uuid


async def run_answer(reader: Reader, run_id: str) -> Json | None:
    """One run whole, or None."""
    lookup = Lookup(reader)
    run = (await lookup.runs([run_uuid(run_id)], facets=None)).get(run_uuid(run_id))
    if run is None:
        return None
    claims = await lookup.claims_of_runs([run.run])
    answer = await run_head(lookup, run)
    answer["inputs"] = [
        {"dataset": name_json(pin.dataset), "version": pin.version, "grade": pin.grade}
        for pin in await lookup.inputs(run)
    ]
    answer["outputs"] = [_output_json(lookup, claim) for claim in sorted(claims)]
    answer["facets"] = run.facets
    answer["jobFacets"] = run.job_facets
    answer["datasetFacets"] = [
        {"side": scope.name, "dataset": name_json(name), "version": version or None, "facets": facets}
        for (scope, name, version), facets in sorted(run.io_facets.items())
    ]
    return answer


def _output_json(lookup: Lookup, claim: Claim) -> Json:
    return {
        "dataset": name_json(lookup.identity.of(claim.dataset)),
        "version": claim.version,
        "status": "committed" if claim.commit_time else "candidate",
        "committedAt": time_json(claim.commit_time),
    }


async def run_head(lookup: Lookup, run: RunFacts) -> Json:
    """A run without its datasets and facets; needs facets parent, nominalTime, errorMessage, headwater_attempt and
    sourceCodeLocation in ``run``."""
    state = state_of(run, lookup.at)
    key = logical_key(run.job, run.facets)
    nominal = run.facets.get("nominalTime") or {}
    parent = run.facets.get("parent")
    return {
        "runId": run.run,
        "job": run.job and name_json(run.job),
        "state": state.state,
        "contradiction": state.contradiction,
        "started": time_json(state.started),
        "ended": time_json(state.ended),
        "firstSeen": time_json(run.first_time),
        "lastSeen": time_json(run.last_time),
        "nominalStart": _facet_time(nominal.get("nominalStartTime")),
        "nominalEnd": _facet_time(nominal.get("nominalEndTime")),
        "logicalKey": key,
        "attempt": await _attempt_number(lookup, run, key),
        "parent": _link_json(parent, run.run),
        "root": _link_json((parent or {}).get("root"), run.run),
        "code": run.job_facets.get("sourceCodeLocation"),
        "engine": run.facets.get("processing_engine"),
        "error": error_of(run.facets),
        "interruption": (run.facets.get(INTERRUPTED_FACET) or {}).get("reason") if state.state == INTERRUPTED else None,
        "history": [
            {"type": word, "time": time_json(time)}
            for word, time in sorted(run.states, key=lambda s: s[1])
            if lookup.at is None or time <= lookup.at
        ],
    }


HEAD_FACETS = frozenset(
    {
        "parent",
        "nominalTime",
        *ERROR_FACETS,
        "headwater_attempt",
        "sourceCodeLocation",
        "processing_engine",
        INTERRUPTED_FACET,
    }
)


def _facet_time(value: Any) -> str | None:
    return times.display(times.parse(value)) if value else None


def _link_json(link: Any, own: str) -> Json | None:
    """A parent or root; a run that names itself has none."""
    if not link:
        return None
    run, job = run_uuid(link["run"]["runId"]), link.get("job")
    if run == own:
        return None
    return {"runId": run, "job": job and {"namespace": job["namespace"], "name": job["name"]}}


async def _attempt_number(lookup: Lookup, run: RunFacts, key: str | None) -> int | None:
    """Attempts are numbered by first event time."""
    if key is None:
        return None
    rows = await lookup.attempts(key)
    return next((index for index, row in enumerate(rows, 1) if row.run == run.run), None)


async def runs_answer(reader: Reader, where: RunFilter, limit: int) -> Json:
    """A page of runs, newest first; ``next`` is the cursor of the following page."""
    rows = await reader.list_runs(where, limit + 1)
    page = rows[:limit]
    more = len(rows) > limit
    return {
        "runs": [run_json(row) for row in page],
        "truncated": more,
        "truncatedBy": "limit" if more else None,
        "next": cursor(page[-1]) if more else None,
    }


def cursor(row: RunRow) -> str:
    return f"{row.first_time or ''}_{row.run}"


def parse_cursor(text: str) -> tuple[str, str]:
    """Raises ValueError."""
    time, separator, run = text.partition("_")
    if not separator or not run:
        raise ValueError(f"cursor {text!r}: must be the `next` of an earlier answer")
    return time, run
