"""One try to send a batch, whatever the transport makes of it, as an Outcome."""

from __future__ import annotations

from collections.abc import Sequence

from headwater.shared.errors import PermanentError, TransientError

from .base import Outcome, Transport


def deliver(transport: Transport, batch: Sequence[bytes]) -> Outcome:
    """Sends ``batch`` once. A batch refused as a whole is halved until the events that are at fault stand alone."""
    refused: dict[int, str] = {}
    waiting = [(0, len(batch))]
    while waiting:
        start, end = waiting.pop()
        try:
            outcome = transport.send(batch[start:end])
        except TransientError as error:
            left = [*range(start, end), *(index for span in waiting for index in range(*span))]
            return Outcome(refused, tuple(sorted(left)), str(error), error.retry_after_s)
        except PermanentError as error:
            if end - start == 1:
                refused[start] = str(error)
            else:
                middle = (start + end) // 2
                waiting += [(middle, end), (start, middle)]
            continue
        refused.update({start + index: why for index, why in outcome.refused.items()})
        if outcome.retry:
            left = [
                *(start + index for index in outcome.retry),
                *(index for span in waiting for index in range(*span)),
            ]
            return Outcome(refused, tuple(sorted(left)), outcome.error, outcome.retry_after_s)
    return Outcome(refused)
