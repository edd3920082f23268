"""An emptied segment, kept to be written to again.

Memory that a file grows into can cost the thread that writes 150 µs a page: on a virtual machine the host has to find
it, too. Pages that the file already has cost nothing. So the sender fills an emptied segment with zeros and the
application's thread writes its next events over them. No frame ends with a zero byte, which is how whoever adopts the
lane knows where such a segment ends: ``written_bytes``.
"""

from __future__ import annotations

import os

from .lane import Lane

_PIECE_BYTES = 64 * 1024


class Spare:
    """At most one segment, on its way from emptied to zeroed to taken. Called under the spool's lock, but for
    ``zero``."""

    def __init__(self) -> None:
        self._worn = self._ready = -1
        self._bytes = 0

    def keep(self, lane: Lane, number: int, size: int) -> bool:
        """Sets the emptied segment aside. False if there is one already. Raises OSError."""
        if self._worn >= 0 or self._ready >= 0:
            return False
        os.rename(lane.segment_path(number), lane.spare_path)
        self._worn, self._bytes = lane.open_spare(), size
        return True

    def zero(self) -> None:
        """Outside the lock, by the one thread that calls ``keep``: takes the events out."""
        fd = self._worn
        if fd < 0:
            return
        zeros = bytes(_PIECE_BYTES)
        try:
            for offset in range(0, self._bytes, _PIECE_BYTES):
                os.pwrite(fd, zeros[: self._bytes - offset], offset)
        except OSError:  # no room even to write over it: ``take`` says that there is none, and a new one is tried
            return
        self._worn, self._ready = -1, fd

    def take(self, lane: Lane, number: int) -> int:
        """A descriptor to write to, now the segment of that number; -1 if there is none. Raises OSError."""
        fd, self._ready = self._ready, -1
        if fd >= 0:
            try:
                os.rename(lane.spare_path, lane.segment_path(number))
            except OSError:
                self._ready = fd  # still ours to close
                raise
        return fd

    def forget(self) -> list[int]:
        """The lane is let go: the descriptors to close."""
        fds = [fd for fd in (self._worn, self._ready) if fd >= 0]
        self._worn = self._ready = -1
        return fds


def written_bytes(path: str) -> int:
    """Bytes before the zeros at the end of a segment. Raises OSError."""
    with open(path, "rb") as file:
        end = os.fstat(file.fileno()).st_size
        while end:
            start = max(0, end - _PIECE_BYTES)
            file.seek(start)
            piece = file.read(end - start).rstrip(b"\0")
            if piece:
                return start + len(piece)
            end = start
    return 0
