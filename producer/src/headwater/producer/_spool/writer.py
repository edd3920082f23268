"""Appends events to this process's own lane: the part of the spool that runs on the application's thread."""

from __future__ import annotations

import os
from collections.abc import Callable
from itertools import count
from threading import RLock, get_ident

from headwater.shared.clock import Clock
from headwater.shared.log.framing import frame

from .ack import START, Position
from .files import DISK_FULL, SPOOL_FULL, lane_bytes, lane_names, reason_of
from .lane import Lane
from .spare import Spare

_SEGMENT_BYTES, _BACKLOG_SEGMENT_BYTES = 1024 * 1024, 8 * 1024 * 1024
_FEW_SEGMENTS = 4
_MIN_SEGMENT_BYTES = 64 * 1024
_RETRY_S = 1.0


class Segment:
    """One file of the lane: bytes in it, events in it, and how many of those the sender has dealt with."""

    __slots__ = ("count", "fd", "number", "settled", "size")

    def __init__(self, number: int, fd: int) -> None:
        self.number, self.fd = number, fd
        self.size = self.count = self.settled = 0


class SpoolWriter:
    """Appends under ``lock``, an RLock: a signal handler or a destructor may append while an append is under way.

    CPython lets such a nested call in only where a function is called or a loop goes round, so that a look at an
    attribute and a store right behind it are one step.
    """

    def __init__(self, root: str, *, max_bytes: int, lock: RLock, clock: Clock) -> None:
        self.root, self.lock = root, lock
        self.lane: Lane | None = None
        self.segments: dict[int, Segment] = {}
        self.active: Segment | None = None
        self.others_bytes = 0
        self.lost = 0
        """Events that were in segments of this lane and could not be read back."""
        self.last_error: OSError | None = None
        self._max_bytes = max_bytes
        self._largest_bytes = min(_BACKLOG_SEGMENT_BYTES, max(_MIN_SEGMENT_BYTES, max_bytes // 4))
        self._segment_bytes = min(_SEGMENT_BYTES, self._largest_bytes)
        self._spare = Spare()
        self._clock = clock
        self._own_bytes = 0
        self._writes = 0
        self._repairing = False
        self._retry_at_s = 0.0
        self._reason = DISK_FULL
        self._retired_fds: list[int] = []
        self._numbers = count(1)
        self.made: set[str] = set()
        """Paths of the lanes that this process made and that may still be there."""
        self.appender = 0
        """Identity of the thread that is within an append; 0 for none."""

    def append(self, payload: bytes) -> str | None:
        """Puts the event into the page cache, where it survives a SIGKILL. Returns None, or the reason for which the
        event is dropped."""
        data = frame(payload)
        with self.lock:
            outer, self.appender = self.appender, get_ident()
            try:
                return self._append(data)
            finally:
                self.appender = outer

    def _append(self, data: bytes) -> str | None:
        segment = self.active
        if segment is None or (segment.size >= self._segment_bytes and self._is_full(segment)):
            segment = self._renew(segment)
            if segment is None:
                return self._reason
        if self._own_bytes + self.others_bytes + len(data) > self._max_bytes:
            return SPOOL_FULL
        if self._repairing:
            return self._reason
        return self._write(segment, data)

    def _is_full(self, segment: Segment) -> bool:
        """Small segments, that are soon sent and used again; larger ones while many wait to be sent."""
        return len(self.segments) < _FEW_SEGMENTS or segment.size >= self._largest_bytes

    def _write(self, segment: Segment, data: bytes) -> str | None:
        writes = self._writes
        try:
            written = os.write(segment.fd, data)
        except OSError as error:
            self.last_error = error
            return reason_of(error)
        if written == len(data):
            self._account(segment, written)
            return None
        return self._cut(segment, data, written, writes)

    def _cut(self, segment: Segment, data: bytes, written: int, writes: int) -> str | None:
        """Finishes a short write, or takes it back: the disk is full. While this goes on a nested call drops its event,
        since the cut would take it along."""
        self._repairing = True
        try:
            if writes != self._writes:  # a nested call wrote behind the torn frame: readers step over it
                segment.size += written
                self._own_bytes += written
            elif os.lseek(segment.fd, 0, os.SEEK_CUR) == segment.size + written:
                return self._finish(segment, data, written)
        except OSError as error:
            self.last_error = error
        finally:
            self._repairing = False
        return self._reason

    def _finish(self, segment: Segment, data: bytes, written: int) -> str | None:
        self._reason = DISK_FULL
        try:
            written += os.write(segment.fd, data[written:])
        except OSError as error:  # says why the first write was short
            self.last_error, self._reason = error, reason_of(error)
        if written == len(data):
            self._account(segment, written)
            return None
        os.ftruncate(segment.fd, segment.size)
        os.lseek(segment.fd, segment.size, os.SEEK_SET)
        return self._reason

    def _account(self, segment: Segment, written: int) -> None:
        self._writes += 1
        self._own_bytes += written
        segment.size += written
        segment.count += 1

    def _renew(self, segment: Segment | None) -> Segment | None:
        """A segment to write to: a new one, or the old one if no new one can be had. None if there is none at all; then
        ``_reason`` says why."""
        now_s = self._clock.monotonic_s()
        if now_s < self._retry_at_s:
            return segment
        try:
            if self.lane is None:
                self.measure()
                if self.others_bytes >= self._max_bytes:
                    self._reason = SPOOL_FULL
                    self._retry_at_s = now_s + _RETRY_S
                    return None
                self._begin_lane()
            self.roll()
        except OSError as error:
            self.last_error, self._reason = error, reason_of(error)
            self._retry_at_s = now_s + _RETRY_S
        return self.active

    def _begin_lane(self) -> None:
        fresh = Lane.create(self.root)
        if self.lane is None:  # nothing can come between this look and the next step
            self.lane = fresh
            self.made.add(fresh.path)
        else:  # a nested call was first
            fresh.remove()

    def roll(self) -> None:
        """Begins a new segment. Raises OSError."""
        lane, old = self.lane, self.active
        assert lane is not None
        number = next(self._numbers)
        fd = self._spare.take(lane, number)
        fresh = Segment(number, fd if fd >= 0 else lane.open_segment(number))
        if self.active is old:  # nothing can come between this look and the next two steps
            self.active = fresh
            self.segments[number] = fresh
            if old is not None:
                self._retired_fds.append(old.fd)
        else:  # a nested call was first
            os.close(fresh.fd)
            os.unlink(lane.segment_path(number))

    def measure(self) -> None:
        """Learns how much of the bound other processes' lanes take."""
        own = os.path.basename(self.lane.path) if self.lane else ""
        self.others_bytes = sum(
            lane_bytes(os.path.join(self.root, name)) for name in lane_names(self.root) if name != own
        )

    def make_room(self, sent: int) -> None:
        """Begins a new segment if the bound is near and the active one has been sent whole (``sent`` bytes of it), so
        that it can go. Raises OSError."""
        segment = self.active
        used = self._own_bytes + self.others_bytes
        if segment is not None and 0 < segment.size == sent and used > self._max_bytes // 2:
            self.roll()

    def missing(self) -> bool:
        """Whether somebody deleted the lane under us."""
        return self.lane is not None and not os.path.exists(self.lane.path)

    # The sender's side, called under the lock ----------------------------------------------------------------------

    def close_retired(self) -> None:
        """Closes files that are no longer written to. Never done by an append: a nested one may just have taken the
        descriptor of the one that it interrupted."""
        if self.appender:
            return
        fds, self._retired_fds = self._retired_fds, []
        for fd in fds:
            os.close(fd)

    def numbers(self) -> list[int]:
        return sorted(self.segments)

    def end_of(self, number: int) -> int:
        return self.segments[number].size

    def finished(self, number: int, offset: int) -> bool:
        with self.lock:
            self.close_retired()
            segment = self.segments[number]
            if segment.size > offset:  # by an append that a nested one interrupted and outran
                return False
            del self.segments[number]
            self._own_bytes -= segment.size
            self.lost += segment.count - segment.settled
            self._discard(segment)
        self._spare.zero()
        return True

    def _discard(self, segment: Segment) -> None:
        lane = self.lane
        assert lane is not None
        usual = _SEGMENT_BYTES <= segment.size < 2 * _SEGMENT_BYTES
        try:
            if not (usual and self._spare.keep(lane, segment.number, segment.size)):
                os.unlink(lane.segment_path(segment.number))
        except FileNotFoundError:
            pass

    def end(self) -> Position:
        """Where the last event ends."""
        segment = self.active
        return Position(segment.number, segment.size) if segment is not None else START

    def settled(self, number: int, events: int) -> None:
        """The sender has dealt with so many more events of that segment."""
        self.segments[number].settled += events

    def close(self, all_sent: Callable[[], bool]) -> None:
        """Lets go of the lane and, if ``all_sent`` says so when nothing can be appended to it any more, deletes it. A
        later append begins a new one. Within an append (a signal handler shuts down) the lane stays as it is."""
        if self.appender:
            return
        lane = self._forget()
        if lane is not None:
            if all_sent():
                lane.remove()
            else:
                lane.release()

    def forked(self) -> None:
        """In a forked child: closes what belongs to the parent, whose lock stays as it is."""
        self.appender = 0
        lane = self._forget()
        if lane is not None:
            lane.release()

    def _forget(self) -> Lane | None:
        lane, active, self.lane, self.active, self.segments, self._own_bytes = self.lane, self.active, None, None, {}, 0
        if active is not None:
            self._retired_fds.append(active.fd)
        self._retired_fds += self._spare.forget()
        self._retry_at_s = 0.0
        self.close_retired()
        return lane
