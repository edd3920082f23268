"""Sends to several transports, and remembers which of them already has what."""

from __future__ import annotations

from collections.abc import Sequence

from .base import Outcome, Transport
from .delivery import deliver


class CompositeTransport:
    """Every event goes to every target. While one target is down the others keep what they have and get nothing
    twice; the batch is taken when all have it, and the next batch waits for that. The memory of who has what ends
    with the process: after a restart a target may get the events of one batch again."""

    def __init__(self, targets: Sequence[Transport]) -> None:
        self._targets = list(targets)
        self._done: list[set[bytes]] = [set() for _ in self._targets]
        self._refused: dict[bytes, str] = {}

    def send(self, batch: Sequence[bytes]) -> Outcome:
        retry: set[int] = set()
        errors: list[str] = []
        wishes: list[float] = []
        for target, done in zip(self._targets, self._done, strict=True):
            indexes = [index for index, event in enumerate(batch) if event not in done]
            outcome = deliver(target, [batch[index] for index in indexes]) if indexes else Outcome()
            again = {indexes[index] for index in outcome.retry}
            done.update(batch[index] for index in indexes if index not in again)
            self._refused.update({batch[indexes[index]]: why for index, why in outcome.refused.items()})
            retry |= again
            if outcome.error:
                errors.append(outcome.error)
            if outcome.retry_after_s is not None:
                wishes.append(outcome.retry_after_s)
        # An event that one target refused and another still has to take is told when every target has answered.
        told = [index for index, event in enumerate(batch) if event in self._refused and index not in retry]
        refused = {index: self._refused[batch[index]] for index in told}
        if not retry:
            self._forget()
        return Outcome(refused, tuple(sorted(retry)), "; ".join(errors) or None, max(wishes, default=None))

    def close(self) -> None:
        for target in self._targets:
            target.close()

    def forked(self) -> None:
        self._forget()
        for target in self._targets:
            target.forked()

    def _forget(self) -> None:
        self._refused.clear()
        for done in self._done:
            done.clear()
