"""The sender: one daemon thread that takes events from the spool to the transport."""

from __future__ import annotations

import time
from threading import Condition, Thread, current_thread, get_ident
from typing import Any

from ._backoff import DEFAULT_BACKOFF, BackoffPolicy
from ._guard import note_internal_error
from ._notice import notice
from ._sources import Source, Sources
from ._spool.ack import Position
from ._stats import Accounts
from ._wakeup import Wakeup
from .transports.base import Transport
from .transports.delivery import deliver

_LINGER_S = 0.05
_SCAN_S = 30.0
_JOIN_S = 0.5


class Sender:
    """Sends what ``sources`` holds, in order, each batch until every event of it is delivered or refused."""

    def __init__(
        self,
        sources: Sources,
        transport: Transport,
        accounts: Accounts,
        lock: Any,
        backoff: BackoffPolicy = DEFAULT_BACKOFF,
    ) -> None:
        self.idle = False
        """Set while the thread sleeps until it is woken. Whoever appends and sees it clears it and calls ``wake``."""
        self._sources, self._transport, self._accounts, self._lock = sources, transport, accounts, lock
        self._backoff = backoff
        self._wakeup = Wakeup()
        self._changed = Condition()
        self._wanted: Thread | None = None
        """The thread that is to run; one that finds itself replaced ends."""
        self._last: Thread | None = None
        self._requested = self._served = 0
        self._failures = 0

    @property
    def running(self) -> bool:
        """Whether there is a thread that has not been told to stop."""
        return self._wanted is not None

    def start(self) -> None:
        """Starts the thread if there is none. Where none can be had, or the last one is not done yet, the events stay
        in the spool until the next call."""
        last = self._last
        if self._wanted is not None or (last is not None and last.is_alive()):
            return
        fresh = Thread(target=self._run, name="headwater-sender", daemon=True)
        with self._lock:  # against other threads; and a signal handler has no way in between the look and the store
            if self._wanted is not None or self._last is not last:
                return
            self._wanted = self._last = fresh
        try:
            fresh.start()
        except RuntimeError as error:  # the interpreter is shutting down, or the limit of threads is reached
            self._wanted = self._last = None
            self._accounts.last_error = f"no sender: {error}"

    def wake(self) -> None:
        self._wakeup.set()

    def flush(self, timeout_s: float, *, patient: bool = True) -> bool:
        """Waits until all that is in the spool now is delivered or refused. False after ``timeout_s``, or, unless
        ``patient``, as soon as a try fails."""
        if self._wanted is None or self._wanted.ident == get_ident():
            return False
        if timeout_s <= 0:
            return self._accounts.spooled == 0
        deadline = time.monotonic() + timeout_s
        target = self._sources.end()
        failures = self._failures
        with self._changed:
            self._requested += 1
            request = self._requested
            self._wakeup.set()
            while self._served < request or self._sources.position() < target:
                left = deadline - time.monotonic()
                if left <= 0 or self._wanted is None or (not patient and self._failures > failures):
                    return False
                self._changed.wait(min(left, 1.0))
        return True

    def stop(self, timeout_s: float = _JOIN_S) -> bool:
        """Ends the thread after the try that is under way. False if that takes longer than ``timeout_s``."""
        self._wanted = None
        self._wakeup.set()
        thread = self._last
        if thread is None:
            return True
        if (
            thread.ident is None or thread.ident == get_ident()
        ):  # a signal handler interrupted start, or the sender asks
            return False
        thread.join(timeout_s)
        return not thread.is_alive()

    def forked(self) -> None:
        """In the child of a fork, which has no such thread: closes what it inherited."""
        self._sources.close()

    # The thread ------------------------------------------------------------------------------------------------------

    def _run(self) -> None:
        if self._told_to_stop():  # before it began: another one may be at work
            return
        try:
            self._loop()
        finally:
            self._sources.close()

    def _loop(self) -> None:
        next_scan_s = 0.0
        while not self._told_to_stop():
            try:
                request = self._requested
                now_s = time.monotonic()
                if request != self._served or now_s >= next_scan_s:
                    next_scan_s = now_s + _SCAN_S
                    self._sources.scan()
                busy = self._pass(request)
            except Exception as error:
                self._trouble(error)
                busy = True
            if self._told_to_stop():
                return
            if busy:
                self._wakeup.wait(_LINGER_S)
            else:
                self._rest(next_scan_s)

    def _told_to_stop(self) -> bool:
        return self._wanted is not current_thread()

    def _pass(self, request: int) -> bool:
        """Sends what is there now. Returns whether there was anything."""
        busy = False
        target = self._sources.end()
        for source in self._sources.all():
            try:
                busy |= self._drain(source, target)
                if not source.live and not self._told_to_stop():
                    self._sources.done(source)
            except OSError as error:
                if source.live:
                    raise
                self._sources.set_aside(source, error)
        if not self._sources.orphans and not self._sources.more:
            self._tell(request)
        return busy or self._sources.more

    def _drain(self, source: Source, target: Position) -> bool:
        busy = False
        while not self._told_to_stop() and (batch := source.next_batch()) is not None:
            busy = True
            refused = self._settle(batch.events)
            if refused is None:
                break
            with self._lock:
                if not source.current:  # closed under us by a signal handler: whoever adopts the lane accounts for it
                    break
                delivered = len(batch.events) - refused
                self._accounts.settled(mine=source.mine, delivered=delivered, refused=refused)
                source.settle(batch)
            self._tell()
            if source.live and batch.end >= target:  # more gathers while we linger
                break
        return busy

    def _tell(self, served: int | None = None) -> None:
        with self._changed:
            if served is not None:
                self._served = served
            self._changed.notify_all()

    def _settle(self, events: list[bytes]) -> int | None:
        """Tries until every event is delivered or refused, and returns how many were refused. None if told to stop
        before that: then the accounts know nothing of it, and the whole batch is sent again by whoever comes next."""
        failures = refused = 0
        while events:
            outcome = deliver(self._transport, events)
            if outcome.refused:
                refused += len(outcome.refused)
                why = next(iter(outcome.refused.values()))
                self._accounts.last_error = f"refused: {why}"
                notice("refused", "headwater: %d events refused: %s", len(outcome.refused), why)
            if not outcome.retry:
                break
            progress = len(outcome.retry) < len(events)
            events = [events[index] for index in outcome.retry]
            failures = 0 if progress else failures + 1
            self._accounts.last_error = outcome.error
            notice("transport", "headwater: cannot deliver, will try again: %s", outcome.error)
            if not self._pause(failures, outcome.retry_after_s):
                return None
        return refused

    def _pause(self, failures: int, wish_s: float | None) -> bool:
        """Waits before the next try. A flush cuts it short, unless the other side asked to be left alone."""
        deadline_s = time.monotonic() + self._backoff.delay_s(failures, wish_s)
        seen = self._requested
        with self._changed:
            self._failures += 1
            self._changed.notify_all()
        while not self._told_to_stop():
            left_s = deadline_s - time.monotonic()
            if left_s <= 0 or (wish_s is None and self._requested != seen):
                return True
            self._wakeup.wait(left_s)
        return False

    def _rest(self, next_scan_s: float) -> None:
        self.idle = True
        if self._sources.has_more():  # appended after the last look and before the flag was up
            self.idle = False
            return
        woken = self._wakeup.wait(next_scan_s - time.monotonic())
        self.idle = False
        if woken and not self._told_to_stop() and self._requested == self._served:
            self._wakeup.wait(_LINGER_S)

    def _trouble(self, error: Exception) -> None:
        """An error where none is expected: the disk, or a defect. The events stay where they are."""
        with self._lock:
            self._accounts.last_error = f"{type(error).__name__}: {error}"
        if isinstance(error, OSError):
            notice("spool", "headwater: the spool cannot be read, will try again: %s", error)
            self._sources.recover(error)
        else:
            note_internal_error(error, "the sender")
        self._wakeup.wait(1.0)
