"""Rules 1 and 2: the state of a run is a function of the set of its state events."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from typing import NamedTuple

from headwater.collector.interruption import INTERRUPT
from headwater.collector.wants import SILENT
from headwater.shared.event import STATE_TYPES

_RANK = {word: float(rank) for rank, word in enumerate(STATE_TYPES)} | {INTERRUPT: STATE_TYPES.index("RUNNING") + 0.5}
_FINAL = {"COMPLETE": "COMPLETED", "FAIL": "FAILED", "ABORT": "ABORTED"}


class StateView(NamedTuple):
    """Times are canonical. ``contradiction``: another terminal event followed the deciding one."""

    state: str
    contradiction: bool
    started: str | None
    ended: str | None


def derive_state(states: Iterable[tuple[str, str]]) -> StateView:
    """Walks the (type, time) pairs in order of time: the first terminal decides; a later START reopens what failed. An
    interruption ends nothing: whatever the run itself says at that time or later stands."""
    ordered = sorted((said for said in states if said[0] not in SILENT), key=lambda said: (said[1], _RANK[said[0]]))
    state, contradiction, ended = "NEW", False, None
    for word, time in ordered:
        if word == INTERRUPT:
            state = "INTERRUPTED" if ended is None else state
        elif ended is None:
            state = _FINAL.get(word, "RUNNING")
            ended = time if word in _FINAL else None
        elif word in _FINAL:
            contradiction = True
        elif word == "START" and state != "COMPLETED" and time > ended:
            state, ended = "RUNNING", None
    return StateView(state, contradiction, _started(ordered, ended), ended)


@lru_cache(maxsize=4_096)
def state_by(states: tuple[tuple[str, str], ...]) -> StateView:
    """As ``derive_state``, remembered: one answer asks several times about each run."""
    return derive_state(states)


def _started(ordered: list[tuple[str, str]], ended: str | None) -> str | None:
    for wanted in ("START", "RUNNING"):
        for word, time in ordered:
            if word == wanted and (ended is None or time <= ended):
                return time
    return None
