"""The loop of ``headwater emit``: read, batch, hand over, count. It holds one batch at a time."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import Callable, Iterable
from types import FrameType, TracebackType
from typing import Any

from headwater.shared.errors import TransientError

from .reading import Bad, Good
from .sinks import Sink
from .tally import Tally

BATCH_EVENTS = 500
BATCH_BYTES = 4 * 1024 * 1024
RETRY_DELAYS_S = (0.2, 1.0, 3.0, 10.0)


class Interrupts:
    """Ctrl-C while a batch is on its way lets it finish first; a second one does not wait."""

    def __init__(self) -> None:
        self.asked = False
        self.sending = False
        self._before: Any = None

    def __enter__(self) -> Interrupts:
        self._before = signal.signal(signal.SIGINT, self._on_signal)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        signal.signal(signal.SIGINT, self._before)

    def _on_signal(self, number: int, frame: FrameType | None) -> None:
        if self.asked or not self.sending:
            self.asked = True
            raise KeyboardInterrupt
        self.asked = True


def send_all(
    runner: asyncio.Runner,
    sink: Sink,
    events: Iterable[Good | Bad],
    tally: Tally,
    interrupts: Interrupts,
    *,
    progress: Callable[[Tally], object] = lambda _: None,
    delays_s: tuple[float, ...] = RETRY_DELAYS_S,
) -> None:
    """Sends everything; on Ctrl-C, everything up to ``tally.last``. Raises TransientError when the sink stays away."""
    batch: list[Good | Bad] = []
    size = 0

    def settle() -> None:
        interrupts.sending = True
        try:
            _settle(runner, sink, batch, tally, delays_s)
        finally:
            interrupts.sending = False
        batch.clear()
        progress(tally)

    try:
        for one in events:
            batch.append(one)
            size += len(one.raw) if isinstance(one, Good) else 0
            if len(batch) >= BATCH_EVENTS or size >= BATCH_BYTES:
                settle()
                size = 0
                if interrupts.asked:
                    tally.stopped = True
                    return
        if batch:
            settle()
    except KeyboardInterrupt:
        tally.stopped = True


def _settle(
    runner: asyncio.Runner, sink: Sink, batch: list[Good | Bad], tally: Tally, delays_s: tuple[float, ...]
) -> None:
    good = [one for one in batch if isinstance(one, Good)]
    refused = runner.run(_hand_over(sink, good, delays_s)) if good else []
    places = {bad.place for bad in refused}
    for bad in (*(one for one in batch if isinstance(one, Bad)), *refused):
        tally.refuse(bad)
    tally.read += len(batch)
    tally.sent += len(good)
    tally.accepted += len(good) - len(refused)
    tally.with_problems += sum(1 for one in good if one.problems and one.place not in places)
    tally.last = batch[-1].place


async def _hand_over(sink: Sink, batch: list[Good], delays_s: tuple[float, ...]) -> list[Bad]:
    """Sends one batch, again and again while that may help. Returns what was refused for good."""
    refused: list[Bad] = []
    for delay_s in (*delays_s, None):
        try:
            outcome = await sink.send(batch)
        except TransientError:
            if delay_s is None:
                raise
        else:
            refused += outcome.refused
            batch = outcome.again
            if not batch:
                return refused
            if delay_s is None:
                raise TransientError(
                    f"{sink.where} still cannot take {len(batch)} events; the first is {batch[0].place}"
                )
        await asyncio.sleep(delay_s)
    return refused
