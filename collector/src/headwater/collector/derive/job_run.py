"""Rule 21: the status of a job run and its history, from the words about its run."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final, Literal, NamedTuple, TypeAlias

from headwater.collector.interruption import INTERRUPT
from headwater.collector.wants import DEP_MISS, QUEUED

Status: TypeAlias = Literal["New", "Queued", "Running", "Succeeded", "Failed", "Aborted", "DepMiss", "Interrupted"]

_ORDER: Final = (QUEUED, "START", "RUNNING", INTERRUPT, "FAIL", "ABORT", "COMPLETE")
_ENDS: Final[dict[str, Status]] = {"FAIL": "Failed", "ABORT": "Aborted", "COMPLETE": "Succeeded"}


class Change(NamedTuple):
    """From ``time`` (canonical) on the job run had this status."""

    status: Status
    time: str


def history_of(states: Iterable[tuple[str, str]]) -> list[Change]:
    """The changes of status that the (type, time) pairs make, oldest first, by the walk of rule 1. What changes nothing
    (a second RUNNING, an end after the end) is no entry."""
    said = set(states)
    walk = _Walk()
    for word, time in sorted(said, key=_order):
        if word in _ENDS:
            missed = word != "COMPLETE" and (DEP_MISS, time) in said
            walk.end("DepMiss" if missed else _ENDS[word], time)
        elif word != DEP_MISS:
            walk.go_on(word, time)
    return walk.changes


def status_of(states: Iterable[tuple[str, str]]) -> Status:
    """The last one."""
    changes = history_of(states)
    return changes[-1].status if changes else "New"


def _order(said: tuple[str, str]) -> tuple[str, int]:
    return said[1], _ORDER.index(said[0]) if said[0] in _ORDER else -1


class _Walk:
    def __init__(self) -> None:
        self.changes: list[Change] = []
        self._ended: str | None = None
        self._final = False

    def go_on(self, word: str, time: str) -> None:
        """Queued, started, alive or silent."""
        again = self._ended is not None and not self._final and time > self._ended
        if word == QUEUED:
            if again or not self.changes:
                self._change("Queued", time)
        elif self._ended is None:
            self._change("Interrupted" if word == INTERRUPT else "Running", time)
        elif word == "START" and again:
            self._ended = None
            self._change("Running", time)

    def end(self, status: Status, time: str) -> None:
        if self._ended is None:
            self._ended, self._final = time, status == "Succeeded"
            self._change(status, time)

    def _change(self, status: Status, time: str) -> None:
        if not self.changes or self.changes[-1].status != status:
            self.changes.append(Change(status, time))
