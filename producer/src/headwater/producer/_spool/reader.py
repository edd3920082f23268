"""Reads a lane from where it was last acknowledged, batch by batch."""

from __future__ import annotations

import os
from typing import NamedTuple, Protocol

from .ack import Position
from .lane import Lane
from .parse import parse
from .spare import written_bytes

_PIECE_BYTES = 512 * 1024
MAX_BATCH_EVENTS = 500


class Batch(NamedTuple):
    """Events in the order in which they were emitted, and where they end. May be empty: damage alone."""

    events: list[bytes]
    end: Position
    damaged: int


class Extent(Protocol):
    """How far the segments of a lane reach."""

    def numbers(self) -> list[int]:
        """Of the segments there are, ascending."""
        ...

    def end_of(self, number: int) -> int:
        """Bytes of whole frames in that segment."""
        ...

    def finished(self, number: int, offset: int) -> bool:
        """That segment has a successor and has been dealt with up to ``offset``. Lets go of it and returns True, unless
        there is more in it."""
        ...


class LaneReader:
    """One reader of one lane. ``next_batch`` gives the same events again until ``settle`` says that they are done."""

    def __init__(self, lane: Lane, extent: Extent) -> None:
        self.lane, self._extent = lane, extent
        self._fd, self._open_number = -1, -1
        self.position = lane.position()

    def next_batch(self, max_events: int = MAX_BATCH_EVENTS) -> Batch | None:
        """The next events, None if there is nothing to do. Raises OSError."""
        while True:
            numbers = [number for number in self._extent.numbers() if number >= self.position.segment]
            if not numbers:
                return None
            if numbers[0] > self.position.segment:
                self.position = Position(numbers[0], 0)
            number, offset = self.position
            end = self._extent.end_of(number)
            if offset < end:
                return self._read(self.position, end, max_events)
            if len(numbers) == 1:
                return None
            self._advance(number, numbers[1])

    def settle(self, batch: Batch) -> None:
        """The batch has been dealt with: acknowledges it. Raises OSError."""
        self.position = batch.end
        self.lane.acknowledge(batch.end)

    def _advance(self, number: int, following: int) -> None:
        """Goes on to the next segment and lets go of this one, unless something was appended in the last moment."""
        if number == self._open_number:
            self.close()
        if self._extent.finished(number, self.position.offset):
            self.position = Position(following, 0)

    def close(self) -> None:
        """Lets go of the file, not of the lane."""
        fd, self._fd, self._open_number = self._fd, -1, -1
        if fd >= 0:
            os.close(fd)

    def _read(self, start: Position, end: int, max_events: int) -> Batch:
        fd = self._file(start.segment)
        wanted = _PIECE_BYTES
        while True:
            piece = os.pread(fd, min(wanted, end - start.offset), start.offset)
            if not piece:  # somebody cut the file: what is missing is lost
                return Batch([], Position(start.segment, end), 1)
            last = start.offset + len(piece) >= end
            parsed = parse(piece, last=last, max_events=max_events)
            if parsed.consumed:
                return Batch(parsed.events, Position(start.segment, start.offset + parsed.consumed), parsed.damaged)
            if len(piece) < min(wanted, end - start.offset):  # cut within the one frame that is left
                return Batch([], Position(start.segment, end), 1)
            wanted = parsed.wanted

    def _file(self, number: int) -> int:
        if number != self._open_number:
            self.close()
            self._fd = os.open(self.lane.segment_path(number), os.O_RDONLY | os.O_CLOEXEC)
            self._open_number = number
        return self._fd


class OrphanExtent:
    """A lane that nobody appends to any more."""

    def __init__(self, lane: Lane) -> None:
        self._lane = lane
        self._sizes = {number: written_bytes(lane.segment_path(number)) for number in lane.segments()}

    def numbers(self) -> list[int]:
        return sorted(self._sizes)

    def end_of(self, number: int) -> int:
        return self._sizes[number]

    def finished(self, number: int, offset: int) -> bool:
        del self._sizes[number]
        os.unlink(self._lane.segment_path(number))
        return True
