"""Group fsync: threads that wait for their bytes at the same time share one fdatasync."""

from __future__ import annotations

import os
from errno import EIO
from threading import Condition


class GroupSync:
    """Counts what was written and what is durable, in tickets: a later ticket covers all earlier ones."""

    def __init__(self) -> None:
        self._changed = Condition()
        self._written = 0
        self._durable = 0
        self._lost = (0, 0)
        self._busy = False
        self.syncs = 0
        """How often the disk was asked."""

    def written(self) -> int:
        """Call when bytes are in the file. Returns their ticket."""
        with self._changed:
            self._written += 1
            return self._written

    def now_durable(self) -> None:
        """Call when the file was synced while nobody could write to it."""
        with self._changed:
            self._durable = self._written
            self._changed.notify_all()

    def wait(self, ticket: int, fd: int) -> None:
        """Returns when the ticket's bytes are durable: by the fdatasync of another thread that began after they were
        written, or by its own on ``fd``. Raises OSError, to everyone whose bytes a failed one covered: the kernel
        reports a failure once and then forgets the pages, so asking again would prove nothing.
        """
        with self._changed:
            while self._busy and not self._settled(ticket):
                self._changed.wait()
            if self._settled(ticket):
                if self._lost[0] < ticket <= self._lost[1]:
                    raise OSError(EIO, "the disk failed to take the bytes (fdatasync)")
                return
            self._busy = True
            covered = self._written
        error: OSError | None = None
        try:
            os.fdatasync(fd)
        except OSError as caught:
            error = caught
        with self._changed:
            self._busy = False
            self.syncs += 1
            if error is not None:
                self._lost = (min(self._lost[0], self._durable) if self._lost[1] else self._durable, covered)
            self._durable = max(self._durable, covered)
            self._changed.notify_all()
        if error is not None:
            raise error

    def _settled(self, ticket: int) -> bool:
        return self._durable >= ticket
