"""A TCP relay in a thread that can hang or be gone: what ``conformance.Faults`` asks of a store's server."""

from __future__ import annotations

import asyncio
import contextlib
import threading
from collections.abc import Coroutine, Iterator
from types import TracebackType
from typing import Any, TypeVar

T = TypeVar("T")

_CHUNK = 1 << 16
_START_S = 30.0


class Proxy:
    """Relays to ``host:port`` from a free port of its own; a context manager.

    with Proxy("127.0.0.1", 7687) as proxy:
        store = AcmeStore(f"acme://127.0.0.1:{proxy.port}")
        with proxy.hung(): ...
    """

    def __init__(self, host: str, port: int) -> None:
        self._to = (host, port)
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name="headwater-proxy", daemon=True)
        self._flowing = asyncio.Event()
        self._flowing.set()
        self._links: set[asyncio.Task[None]] = set()
        self._writers: set[asyncio.StreamWriter] = set()
        self._server: asyncio.Server | None = None
        self.port = 0
        """Of this side, on 127.0.0.1."""

    def __enter__(self) -> Proxy:
        self._thread.start()
        self._do(self._listen())
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._do(self._leave())
        self._do(self._loop.shutdown_asyncgens())
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()

    @contextlib.contextmanager
    def hung(self) -> Iterator[None]:
        """Connections are taken, and stay; no byte passes, in either direction, until this is over."""
        self._loop.call_soon_threadsafe(self._flowing.clear)
        try:
            yield
        finally:
            self._loop.call_soon_threadsafe(self._flowing.set)

    @contextlib.contextmanager
    def gone(self) -> Iterator[None]:
        """Connections are reset, and new ones refused, until this is over."""
        self._do(self._leave())
        try:
            yield
        finally:
            self._do(self._listen())

    def _do(self, work: Coroutine[Any, Any, T]) -> T:
        return asyncio.run_coroutine_threadsafe(work, self._loop).result(_START_S)

    async def _listen(self) -> None:
        self._server = await asyncio.start_server(self._accept, "127.0.0.1", self.port)
        self.port = self._server.sockets[0].getsockname()[1]

    async def _leave(self) -> None:
        if self._server is not None:
            self._server.close()
            self._server = None
        for writer in self._writers:
            writer.transport.abort()
        links = list(self._links)
        for link in links:
            link.cancel()
        await asyncio.gather(*links, return_exceptions=True)

    async def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None  # a callback of the server is a task
        self._links.add(task)
        writers = {writer}
        self._writers.add(writer)
        try:
            await self._flowing.wait()
            to_reader, to_writer = await asyncio.open_connection(*self._to)
            writers.add(to_writer)
            self._writers.add(to_writer)
            both = [self._relay(reader, to_writer), self._relay(to_reader, writer)]
            await asyncio.gather(*both, return_exceptions=True)
        except (OSError, asyncio.CancelledError):
            pass  # the other side is away, or we are told to go: either way this connection ends
        finally:
            for each in writers:
                each.transport.abort()
            self._writers -= writers
            self._links.discard(task)

    async def _relay(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while data := await reader.read(_CHUNK):
                await self._flowing.wait()
                writer.write(data)
                await writer.drain()
        finally:
            writer.close()
