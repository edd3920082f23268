"""Keeps events in memory: for tests and for looking."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from .base import DELIVERED, Outcome

if TYPE_CHECKING:
    from .._settings import Settings


class MemoryTransport:
    """``events`` holds what was sent, in order. ``script`` holds what to raise or return at the next sends instead:
    an exception, or an Outcome (its taken events are kept)."""

    def __init__(self) -> None:
        self.events: list[bytes] = []
        self.batches: list[int] = []
        self.script: list[Exception | Outcome] = []

    def send(self, batch: Sequence[bytes]) -> Outcome:
        self.batches.append(len(batch))
        step = self.script.pop(0) if self.script else DELIVERED
        if isinstance(step, Exception):
            raise step
        self.events += [event for index, event in enumerate(batch) if index not in {*step.refused, *step.retry}]
        return step

    def close(self) -> None:
        pass

    def forked(self) -> None:
        self.events, self.batches = [], []


def from_url(url: str, settings: Settings) -> MemoryTransport:
    return MemoryTransport()
