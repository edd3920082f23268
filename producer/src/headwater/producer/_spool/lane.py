"""One process's part of a spool, held by a lock as long as the process lives."""

from __future__ import annotations

import fcntl
import os
import time

from .ack import START, Position, read_ack, write_ack
from .files import ACK, LOCK, NASCENT, SPARE, is_ours, lane_names, segment_name, segment_numbers

_DIRECTORY, _FILE = 0o700, 0o600
_STALE_S = 600.0
_FLAGS = os.O_RDWR | os.O_CREAT | os.O_CLOEXEC


class Lane:
    """A lane that this process holds. Not safe to share between threads."""

    def __init__(self, path: str, lock_fd: int, ack_fd: int) -> None:
        self.path = path
        self._lock_fd, self._ack_fd = lock_fd, ack_fd

    @classmethod
    def create(cls, root: str) -> Lane:
        """A new lane. Raises OSError."""
        os.makedirs(root, _DIRECTORY, exist_ok=True)
        name = f"{time.time_ns():016x}-{os.getpid()}-{os.urandom(4).hex()}"
        nascent, path = os.path.join(root, NASCENT + name), os.path.join(root, name)
        os.mkdir(nascent, _DIRECTORY)
        lock_fd = ack_fd = -1
        try:
            lock_fd = os.open(os.path.join(nascent, LOCK), _FLAGS, _FILE)
            fcntl.flock(lock_fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
            ack_fd = os.open(os.path.join(nascent, ACK), _FLAGS, _FILE)
            write_ack(ack_fd, START)
            os.rename(nascent, path)  # under its own name it is locked already, so nobody takes it for an orphan
        except OSError:
            _close(lock_fd, ack_fd)
            _remove(nascent)
            raise
        return cls(path, lock_fd, ack_fd)

    @classmethod
    def adopt(cls, path: str) -> Lane | None:
        """The lane at ``path`` if no living process holds it. Raises OSError."""
        lock_fd = os.open(os.path.join(path, LOCK), _FLAGS & ~os.O_CREAT)
        ack_fd = -1
        try:
            fcntl.flock(lock_fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
            if os.fstat(lock_fd).st_nlink:  # else another process sent and removed it while we opened it
                ack_fd = os.open(os.path.join(path, ACK), _FLAGS, _FILE)
                return cls(path, lock_fd, ack_fd)
        except BlockingIOError:
            pass
        except OSError:
            _close(lock_fd)
            raise
        _close(lock_fd)
        return None

    def open_segment(self, number: int) -> int:
        """A file descriptor to write a new segment with, one frame behind the other. Raises OSError."""
        return os.open(self.segment_path(number), os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, _FILE)

    def open_spare(self) -> int:
        """A file descriptor to write the spare segment with, from its beginning. Raises OSError."""
        return os.open(self.spare_path, os.O_WRONLY | os.O_CLOEXEC)

    @property
    def spare_path(self) -> str:
        """Of an emptied segment that is to be written to again."""
        return os.path.join(self.path, SPARE)

    def segment_path(self, number: int) -> str:
        return os.path.join(self.path, segment_name(number))

    def segments(self) -> list[int]:
        """Numbers of the segments there. Raises OSError."""
        return segment_numbers(self.path)

    def position(self) -> Position:
        """How far it has been sent. Raises OSError."""
        return read_ack(self._ack_fd)

    def acknowledge(self, position: Position) -> None:
        """Everything before ``position`` has been sent. Raises OSError."""
        write_ack(self._ack_fd, position)

    def remove(self) -> None:
        """Deletes the lane, which has been sent whole, and lets go of it."""
        _remove(self.path)
        self.release()

    def release(self) -> None:
        """Lets go of the lane: what is in it is an orphan for the next process to adopt."""
        lock_fd, ack_fd, self._lock_fd, self._ack_fd = self._lock_fd, self._ack_fd, -1, -1
        _close(lock_fd, ack_fd)


def adoptable(root: str, own: str | None) -> list[str]:
    """Paths of the lanes that might be orphans, the oldest first. Clears away what a process left that was killed
    while it made its lane."""
    paths = []
    for name in lane_names(root):
        path = os.path.join(root, name)
        if path != own and os.path.exists(os.path.join(path, LOCK)):
            paths.append(path)
    _clear_nascent(root)
    return paths


def _clear_nascent(root: str) -> None:
    try:
        for name in os.listdir(root):
            path = os.path.join(root, name)
            if name.startswith(NASCENT) and time.time() - os.stat(path).st_mtime > _STALE_S:
                _remove(path)
    except OSError:  # another process clears, too
        pass


def _remove(path: str) -> None:
    """The lock goes last but for the directory, so that a half removed lane still has an owner or an adopter."""
    try:
        names = sorted(filter(is_ours, os.listdir(path)), key=lambda name: name == LOCK)
        for name in names:
            os.unlink(os.path.join(path, name))
        os.rmdir(path)
    except OSError:  # what remains is cleared with the next adoption
        pass


def _close(*fds: int) -> None:
    for fd in fds:
        if fd >= 0:
            os.close(fd)
