"""Ends a call that takes too long, from another thread, by shutting its socket down.

A server's own time limits do not help where the server is stopped or the network swallows packets: then the thread
would wait as long as they do.
"""

from __future__ import annotations

import os
import socket
import threading
import time
from typing import Any, Protocol

_CURRENT = threading.local()


class HasSocket(Protocol):
    """A driver's connection."""

    def fileno(self) -> int: ...


class Guard:
    """Of one call. ``cut`` may come at any time and from any thread; late is late for good."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._socket: socket.socket | None = None
        self._asked_at: float | None = time.monotonic()
        self.late = False

    def __enter__(self) -> Guard:
        """Connections that this thread opens from now on are the guard's, too."""
        _CURRENT.guard = self
        return self

    def __exit__(self, *error: object) -> None:
        _CURRENT.guard = None
        self.release()

    def hold(self, connection: HasSocket) -> None:
        """The call works on this connection from now on."""
        with self._lock:
            self._release()
            self._socket = socket.socket(fileno=os.dup(connection.fileno()))
            if self.late:
                self._shut()

    def asks(self) -> None:
        """The server is waited for from now on."""
        self._asked_at = time.monotonic()

    def rests(self) -> None:
        """The server is not waited for until ``asks``."""
        self._asked_at = None

    def waited_s(self) -> float:
        """For how long the server has been waited for now; as if since the call began where nothing else was said."""
        asked_at = self._asked_at
        return 0.0 if asked_at is None else time.monotonic() - asked_at

    def release(self) -> None:
        """The connection is the pool's again."""
        with self._lock:
            self._release()

    def cut(self) -> None:
        """The call fails at once, and everything it does from now on."""
        with self._lock:
            self.late = True
            self._shut()

    def _release(self) -> None:
        if self._socket is not None:
            self._socket.close()
            self._socket = None

    def _shut(self) -> None:
        if self._socket is not None:
            try:
                self._socket.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass  # it is gone already


def hold_in_this_thread(connection: Any) -> None:
    """For a connection that is being opened: it is held by the guard of the call that opens it."""
    guard: Guard | None = getattr(_CURRENT, "guard", None)
    if guard is not None:
        guard.hold(connection)
