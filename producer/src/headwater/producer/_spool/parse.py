"""Frames out of a piece of a segment."""

from __future__ import annotations

from time import sleep
from typing import NamedTuple

from headwater.shared.limits import DEFAULT_LIMITS
from headwater.shared.log.framing import HEADER_BYTES, MAGIC, next_magic, read_frame

_MAX_FRAME_BYTES = HEADER_BYTES + DEFAULT_LIMITS.max_event_bytes
_YIELD_EVERY = 16
_YIELD_S = 20e-6  # a sleep of 0 lets nobody in: the interpreter's lock is taken back before a waiting thread is awake


class Parsed(NamedTuple):
    """What a piece held."""

    events: list[bytes]
    consumed: int
    damaged: int
    """How many torn or damaged stretches were passed over."""
    wanted: int
    """Bytes that the frame at ``consumed`` takes, where the piece ends within it; else 0."""


def parse(buffer: bytes, *, last: bool, max_events: int) -> Parsed:
    """The events in ``buffer``; ``last`` says that nothing follows it, so that what is incomplete is torn.

    Lets other threads run now and then: the application must not wait for its sender.
    """
    events: list[bytes] = []
    position = damaged = wanted = 0
    size = len(buffer)
    while position < size and len(events) < max_events:
        found = read_frame(buffer, position)
        if found is not None:
            events.append(found[0])
            position = found[1]
            if not len(events) % _YIELD_EVERY:
                sleep(_YIELD_S)
            continue
        if not last and (wanted := _frame_bytes(buffer, position)):
            break
        damaged += 1
        following = next_magic(buffer, position)
        rest = size if last else max(position + 1, size - len(MAGIC) + 1)  # where the next mark may begin
        position = rest if following < 0 else following
    return Parsed(events, position, damaged, wanted)


def _frame_bytes(buffer: bytes, position: int) -> int:
    """How long the frame at ``position`` is if it may go on behind the buffer; 0 if what stands there is no frame."""
    head = buffer[position : position + HEADER_BYTES]
    if len(head) < HEADER_BYTES:
        return HEADER_BYTES if head.startswith(MAGIC) or MAGIC.startswith(head[: len(MAGIC)]) else 0
    length = HEADER_BYTES + int.from_bytes(head[4:8], "little")
    goes_on = position + length > len(buffer)
    return length if head.startswith(MAGIC) and goes_on and length <= _MAX_FRAME_BYTES else 0
