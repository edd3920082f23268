"""One want: what was asked for, who served it, and what was asked for on the way (rules 19 and 20)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from headwater.collector.questions.execution.level import Level
from headwater.collector.questions.execution.pages import BY_ID, COUNTED, parse_cursor
from headwater.collector.questions.lookup import Lookup
from headwater.collector.questions.shapes import Json
from headwater.shared.codec import run_uuid

LISTS: Final = {"partitions": COUNTED, "jobRuns": BY_ID, "derivativeWants": BY_ID, "spawnedBy": BY_ID}
MAX_WANTS: Final = 100
"""Wants in one tree."""
BELOW: Final = 10
"""Entries of each list of a want below the first; the want's own address has the rest."""


async def want_answer(lookup: Lookup, want_id: str, *, depth: int, limit: int, after: str | None) -> Json | None:
    """A want and the wants derived from it, ``depth`` levels down, each once, at most ``MAX_WANTS`` in all; those that
    are not ``expanded`` have an address of their own. None if nobody named it. ``after``: a ``next`` of an earlier
    answer; ValueError if it is none."""
    cursor, key = parse_cursor(after, LISTS), run_uuid(want_id)
    root = (await Level(lookup, [key], limit, cursor).nodes()).get(key)
    if root is None:
        return None
    seen, level, cut = {key}, [root], None
    for _ in range(depth):
        stubs = _fresh(level, seen)
        if len(seen) + len(stubs) > MAX_WANTS:
            cut = "wants"
            stubs = dict(list(stubs.items())[: MAX_WANTS - len(seen)])
        seen |= stubs.keys()
        below = await Level(lookup, list(stubs), min(limit, BELOW), None).nodes()
        for want, stub in stubs.items():
            stub |= below.get(want, {})
        level = list(stubs.values())
    cut = cut or ("depth" if _fresh(level, seen) else None)
    return {**root, "truncated": cut is not None, "truncatedBy": cut}


def _fresh(level: Sequence[Json], seen: set[str]) -> dict[str, Json]:
    """The derivative wants that were not met yet, each where it stands first."""
    found: dict[str, Json] = {}
    for node in level:
        for stub in node["derivativeWants"]["items"] if node["expanded"] else ():
            if stub["id"] not in seen:
                found.setdefault(stub["id"], stub)
    return found
