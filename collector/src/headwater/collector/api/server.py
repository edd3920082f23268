"""Serving the API in the event loop that the pipeline runs in."""

from __future__ import annotations

import asyncio
import errno
import logging
import signal
import socket
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from math import ceil
from typing import Any

import structlog
import uvicorn
from starlette.types import ASGIApp

from headwater.shared.errors import ConfigurationError

DEFAULT_GRACE_S = 10.0
"""How long requests under way are waited for once it shall end."""
_BACKLOG = 2048


async def serve(
    app: ASGIApp,
    host: str = "127.0.0.1",
    port: int = 5000,
    *,
    stop: asyncio.Event | None = None,
    started: Callable[[str], None] | None = None,
    grace_s: float = DEFAULT_GRACE_S,
) -> None:
    """Serves until ``stop`` is set, or SIGINT or SIGTERM comes; then answers what is under way, ``grace_s`` at most.

    ``started`` is told the address once connections are taken; port 0 picks a free one. Signals are listened to only
    in the main thread, and their handlers are put back. Raises ConfigurationError where the address cannot be used.
    """
    listener = _listen(host, port)
    try:
        config = uvicorn.Config(
            app,
            http="httptools",
            ws="none",
            lifespan="off",
            log_config=None,
            access_log=False,
            proxy_headers=False,
            server_header=False,
            date_header=False,
            backlog=_BACKLOG,
            timeout_graceful_shutdown=ceil(grace_s),
        )
        server = _Server(config, lambda: started(_address(listener)) if started else None)
        stop = stop or asyncio.Event()
        with _logging_through_structlog(), _stopped_by_signals(server, stop):
            serving = asyncio.create_task(server.serve(sockets=[listener]))
            stopping = asyncio.create_task(stop.wait())
            try:
                await asyncio.wait((serving, stopping), return_when=asyncio.FIRST_COMPLETED)
                server.should_exit = True
                await serving
            finally:
                server.should_exit = True
                stopping.cancel()
                if not serving.done():
                    await serving
    finally:
        listener.close()


class _Server(uvicorn.Server):
    def __init__(self, config: uvicorn.Config, on_started: Callable[[], None]) -> None:
        super().__init__(config)
        self._on_started = on_started

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        if self.started:
            self._on_started()

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Not uvicorn's: it raises the signal again after the shutdown, when the pipeline still has to stop."""
        yield


@contextmanager
def _stopped_by_signals(server: uvicorn.Server, stop: asyncio.Event) -> Iterator[None]:
    loop = asyncio.get_running_loop()

    def ask() -> None:
        server.force_exit = stop.is_set()  # the second one does not wait for what is under way
        stop.set()

    before: dict[signal.Signals, Any] = {}
    for number in (signal.SIGINT, signal.SIGTERM):
        handler = signal.getsignal(number)
        try:
            loop.add_signal_handler(number, ask)
        except (ValueError, RuntimeError, NotImplementedError):
            break  # not the main thread, or no such thing here: `stop` alone ends it
        before[number] = handler
    try:
        yield
    finally:
        for number, handler in before.items():
            loop.remove_signal_handler(number)
            signal.signal(number, handler)


class _ToStructlog(logging.Handler):
    """uvicorn logs through the standard library; one log with one form is wanted."""

    def emit(self, record: logging.LogRecord) -> None:
        try:
            structlog.get_logger("headwater.http").log(record.levelno, record.getMessage(), exc_info=record.exc_info)
        except Exception:  # what logging's own handlers do: a log line never breaks what it is about
            self.handleError(record)


@contextmanager
def _logging_through_structlog() -> Iterator[None]:
    logger = logging.getLogger("uvicorn")
    handler = _ToStructlog(logging.WARNING)
    before = logger.propagate
    logger.addHandler(handler)
    logger.propagate = False
    try:
        yield
    finally:
        logger.removeHandler(handler)
        logger.propagate = before


def _listen(host: str, port: int) -> socket.socket:
    if not 0 <= port <= 65535:  # some C libraries would take another port instead
        raise ConfigurationError("port", port, "must be from 0 to 65535; 0 picks a free one")
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(
            host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )[0]
    except (OSError, UnicodeError) as error:
        raise ConfigurationError("host", host, f"is no address of this machine ({error})") from error
    listener = socket.socket(family, kind, protocol)
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind(address)
        listener.listen(_BACKLOG)
    except OSError as error:
        listener.close()
        raise _refused(host, port, error) from error
    listener.setblocking(False)
    return listener


def _refused(host: str, port: int, error: OSError) -> ConfigurationError:
    number = error.errno
    if number == errno.EADDRINUSE:
        return ConfigurationError(
            "port", port, "is in use by another program; stop that, or choose another with --port"
        )
    if number == errno.EACCES:
        return ConfigurationError("port", port, "may not be used by this user; ports from 1024 up may")
    if number == errno.EADDRNOTAVAIL:
        return ConfigurationError("host", host, "is no address of this machine; 127.0.0.1 and 0.0.0.0 are")
    return ConfigurationError("port", port, f"cannot be listened on: {error}")


def _address(listener: socket.socket) -> str:
    host, port = listener.getsockname()[:2]
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"
