"""Sends the few events that a command makes itself, the way ``headwater emit`` sends those of files."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from headwater.collector.projection import project
from headwater.shared import codec, times
from headwater.shared.clock import SystemClock

from ..exits import CommandError, UsageError
from ..sources import choose
from .reading import Good, Place
from .sending import Interrupts, send_all
from .sinks import sink_for
from .tally import Tally

_PLACE = "this command"


def event_time(text: str | None) -> str:
    """Canonical; now if none is given. Raises UsageError."""
    try:
        return times.now_text(SystemClock()) if text is None else times.parse(text)
    except ValueError as error:
        raise UsageError(f"--at: {error}", "for example 2026-01-31T06:00Z") from error


def send_events(events: Sequence[dict[str, Any]], url: str | None, directory: Path | None) -> str:
    """Returns where they went. Raises TransientError, or CommandError if any was refused."""
    from headwater.collector.logs import configure_logs

    configure_logs(style="text", level="WARNING")
    sink = sink_for(url, choose(directory, None).directory)
    tally = Tally()
    goods = [_good(codec.dumps(event), number) for number, event in enumerate(events, 1)]
    with Interrupts() as interrupts, asyncio.Runner() as runner:
        runner.run(sink.open())
        try:
            send_all(runner, sink, goods, tally, interrupts)
        finally:
            runner.run(sink.close())
    if tally.reasons:
        told = "; ".join(bad.message for bad in tally.refused[:3])
        raise CommandError(f"{sink.where} refused {sum(tally.reasons.values())} of {len(goods)} events: {told}")
    return sink.where


def _good(raw: bytes, number: int) -> Good:
    event = codec.decode(raw)
    return Good(Place(_PLACE, number), raw, event, len(project(event).problems))
