"""From an encoded event to the spool and on to the transport: the working half of a producer."""

from __future__ import annotations

import atexit
import os
import sys
import time
from threading import RLock, get_ident

from headwater.shared.clock import Clock

from ._backoff import DEFAULT_BACKOFF, BackoffPolicy
from ._guard import STATE, note_internal_error
from ._notice import notice
from ._sender import Sender
from ._settings import Settings
from ._sources import Sources
from ._spool.writer import SpoolWriter
from ._stats import Accounts, Stats
from .transports.base import Transport


class Pipe:
    """Spool, sender and accounts of one producer in this process. Survives a fork: the child begins with empty
    accounts, a lane and a sender of its own."""

    def __init__(
        self, settings: Settings, transport: Transport, clock: Clock, backoff: BackoffPolicy = DEFAULT_BACKOFF
    ) -> None:
        self.transport = transport
        self._settings, self._clock, self._backoff = settings, clock, backoff
        self._begin()

    def _begin(self) -> None:
        self.lock = RLock()
        self._accounts = Accounts()
        self._writer = SpoolWriter(
            self._settings.spool_dir, max_bytes=self._settings.spool_max_bytes, lock=self.lock, clock=self._clock
        )
        sources = Sources(self._writer, self._accounts, self.lock)
        self._sender = Sender(sources, self.transport, self._accounts, self.lock, self._backoff)

    def put(self, payload: bytes) -> bool:
        """Spools one event. True: it survives a SIGKILL of this process. False: it was dropped, and counted."""
        with self.lock:
            reason = self._writer.append(payload)
            if reason is None:
                self._accounts.accepted += 1
            else:
                self._accounts.dropped[reason] += 1
        sender = self._sender
        if reason is not None:
            self._tell_dropped(reason)
        elif sender.idle:
            sender.idle = False
            sender.wake()
        elif not sender.running:
            self.start()
        return reason is None

    def drop(self, reason: str, why: str) -> None:
        """Counts an event that never got as far as the spool."""
        with self.lock:
            self._accounts.dropped[reason] += 1
            self._accounts.last_error = why
        notice(reason, "headwater: event dropped, %s: %s", reason, why)

    def _tell_dropped(self, reason: str) -> None:
        error = self._writer.last_error
        bound = f"the spool has reached {self._settings.spool_max_bytes:,} bytes"
        why = bound if reason == "spool_full" else str(error)
        self._accounts.last_error = f"{reason}: {why}"
        notice(reason, "headwater: event dropped, %s: %s (%s)", reason, why, self._settings.spool_dir)

    def start(self) -> None:
        """Starts the sender, which also sends what earlier processes left."""
        if not self._sender.running:
            _PIPES.add(self)
            _register_hooks()
            self._sender.start()

    def flush(self, timeout_s: float, *, patient: bool = True) -> bool:
        """Whether everything spooled now, orphans included, is delivered or refused within the time."""
        if self._writer.appender == get_ident():  # in a signal handler that interrupted an append
            return False
        self.start()
        if not self._sender.running:
            return self._accounts.spooled == 0
        return self._sender.flush(timeout_s, patient=patient)

    def stats(self) -> Stats:
        with self.lock:
            return self._accounts.snapshot(STATE.internal_errors)

    def close(self, timeout_s: float, *, patient: bool = True) -> bool:
        """Flushes, ends the sender and lets go of files and connections. What is left stays in the spool. Another
        ``put`` begins again."""
        if self._writer.appender == get_ident():  # in a signal handler that interrupted an append
            return False
        deadline_s = time.monotonic() + timeout_s
        if not self._sender.running and self._writer.lane is None:
            return True
        flushed = self.flush(timeout_s, patient=patient)
        if self._sender.stop(max(deadline_s - time.monotonic(), 0.5)):
            with self.lock:
                self._writer.close(lambda: self._accounts.spooled == 0)
            self.transport.close()
            _PIPES.discard(self)
        return flushed

    def forked(self) -> None:
        """In the child of a fork."""
        self._writer.forked()
        self._sender.forked()
        self.transport.forked()
        self._begin()


_PIPES: set[Pipe] = set()
"""Those that have begun and are not closed."""
_hooked = False
_finalizing: set[int] = set()


def _register_hooks() -> None:
    """At exit, at fork, and at the end of a multiprocessing child, which runs no exit handlers."""
    global _hooked
    if not _hooked:
        _hooked = True
        atexit.register(_at_exit)
        os.register_at_fork(before=_before_fork, after_in_parent=_after_fork_in_parent, after_in_child=_after_fork)
    multiprocessing = sys.modules.get("multiprocessing.util")
    if multiprocessing is not None and os.getpid() not in _finalizing:
        _finalizing.add(os.getpid())
        multiprocessing.Finalize(None, _at_exit, exitpriority=-100)


def _at_exit() -> None:
    for pipe in list(_PIPES):
        try:
            pipe.close(pipe._settings.exit_timeout_s, patient=False)
        except Exception as error:
            note_internal_error(error, "the exit handler")


_held: list[Pipe] = []


def _before_fork() -> None:
    """No descriptor is opened or closed by another thread while we fork, so that the child knows which it inherits."""
    for pipe in list(_PIPES):
        pipe.lock.acquire()
        _held.append(pipe)


def _after_fork_in_parent() -> None:
    while _held:
        _held.pop().lock.release()


def _after_fork() -> None:
    _held.clear()
    for pipe in list(_PIPES):
        try:
            pipe.forked()
        except Exception as error:
            note_internal_error(error, "the fork handler")
