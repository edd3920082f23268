"""Finding the sound frames of a segment: for repair, which must keep every one of them."""

from __future__ import annotations

from .framing import HEADER_BYTES, next_magic, read_frame
from .payload import MIN_BYTES, offset_of

_LEAST_FRAME = HEADER_BYTES + MIN_BYTES


def last_sound(data: bytes, next_offset: int) -> tuple[int, int]:
    """(end of the last sound frame in ``data``, next offset), for data that begins where ``next_offset`` is expected.

    Damage before a sound frame is passed over. An offset that the damage cannot explain is no frame of ours.
    """
    position = end = skipped = 0
    while position < len(data):
        found = read_frame(data, position)
        offset = offset_of(found[0]) if found else -1
        if found and next_offset <= offset <= next_offset + skipped // _LEAST_FRAME:
            position = end = found[1]
            next_offset, skipped = offset + 1, 0
            continue
        candidate = next_magic(data, position)
        if candidate < 0:
            break
        skipped += candidate - position
        position = candidate
    return end, next_offset
