"""One job run: what it was scheduled for, what it read and wrote, and how it went."""

from __future__ import annotations

from typing import Final

from headwater.collector.derive.job_run import history_of
from headwater.collector.questions.execution.heads import JOB_RUN_FACETS, head_json
from headwater.collector.questions.execution.instances import by_run, claim_json, instance_id
from headwater.collector.questions.execution.pages import (
    BY_ID,
    COUNTED,
    Cursor,
    of_list,
    page_json,
    parse_cursor,
    sliced,
)
from headwater.collector.questions.lookup import Lookup, Pin
from headwater.collector.questions.runs import run_head
from headwater.collector.questions.shapes import Json, name_json, time_json
from headwater.collector.stores.reading import LinkKind, RunFacts, WantQuery
from headwater.collector.wants import missing_of
from headwater.shared.codec import run_uuid

LISTS: Final = {"wants": BY_ID, "derivativeWants": BY_ID, "read": COUNTED, "wrote": COUNTED, "missing": COUNTED}
_LINKED: Final[tuple[tuple[str, LinkKind], ...]] = (("wants", "wants"), ("derivativeWants", "spawned"))


async def job_run_answer(lookup: Lookup, run_id: str, *, limit: int, after: str | None) -> Json | None:
    """A job run whole, each of its lists at most ``limit`` long; None if unknown. ``after``: a ``next`` of an earlier
    answer; ValueError if it is none."""
    cursor, key = parse_cursor(after, LISTS), run_uuid(run_id)
    run = (await lookup.runs([key], facets=JOB_RUN_FACETS)).get(key)
    if run is None:
        return None
    full = await run_head(lookup, run)
    claims = by_run(lookup, await lookup.claims_of_runs([key])).get(key, [])
    resolved = is_resolved(run, any(claim.commit_time for claim in claims))
    pins = await lookup.inputs(run)
    missing = missing_of(run.facets)
    return {
        **head_json(run),
        **{name: full[name] for name in ("attempt", "parent", "code", "error", "interruption")},
        "history": [{"status": change.status, "time": time_json(change.time)} for change in history_of(run.states)],
        "read": sliced(pins, limit, of_list(cursor, "read"), lambda pin: pin_json(pin, resolved)),
        "wrote": sliced(claims, limit, of_list(cursor, "wrote"), lambda claim: claim_json(lookup, claim)),
        "missing": sliced(missing, limit, of_list(cursor, "missing"), name_json),
        **await _wants(lookup, key, limit, cursor),
    }


def is_resolved(run: RunFacts, published: bool) -> bool:
    """Whether what the run read is settled (rule 22): it succeeded, or published something before it failed."""
    changes = history_of(run.states)
    return published or bool(changes and changes[-1].status == "Succeeded")


def pin_json(pin: Pin, resolved: bool) -> Json:
    """A read; its UUID is given once it is ``resolved`` and the instance is known."""
    version = pin.version if resolved or pin.grade == "declared" else None
    return {
        "dataset": name_json(pin.dataset),
        "version": version,
        "uuid": instance_id(pin.dataset, version) if resolved and version is not None else None,
        "grade": pin.grade if version is not None else "unknown",
    }


async def _wants(lookup: Lookup, run: str, limit: int, cursor: Cursor | None) -> Json:
    mine = [of_list(cursor, name) for name, _ in _LINKED]
    queries = [WantQuery(kind, run, each.position) for (_, kind), each in zip(_LINKED, mine, strict=True)]
    found = await lookup.reader.want_links(queries, limit + 1)
    known = await lookup.reader.wants({want for links in found for want in links.ids})
    answer: Json = {}
    for (name, _), each, links in zip(_LINKED, mine, found, strict=True):
        shown, following = links.ids[:limit], links.ids[limit:]
        items = [{"id": want, "comment": known[want].comment if want in known else None} for want in shown]
        answer[name] = page_json(items, links.total, each, len(items), following[0] if following else None)
    return answer
