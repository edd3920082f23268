"""Wakes the sender. Unlike ``threading.Event`` it may be set by a signal handler that interrupts a setter."""

from __future__ import annotations

from _thread import allocate_lock


class Wakeup:
    """A flag that one thread waits for and any thread sets; waiting clears it."""

    def __init__(self) -> None:
        self._lock = allocate_lock()
        self._lock.acquire()

    def set(self) -> None:
        try:
            self._lock.release()
        except RuntimeError:  # set already
            pass

    def wait(self, timeout_s: float) -> bool:
        """Whether it was set within the time."""
        return self._lock.acquire(timeout=max(timeout_s, 0.0))
