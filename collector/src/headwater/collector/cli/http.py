"""A small HTTP client on the standard library: one kept connection, JSON bytes in and out, no proxies."""

from __future__ import annotations

import asyncio
from http.client import HTTPConnection, HTTPException, HTTPSConnection
from urllib.parse import urlsplit

from headwater.shared.errors import TransientError

from .exits import UsageError

TIMEOUT_S = 60.0


class Server:
    """An API under a base URL. Not for concurrent use."""

    def __init__(self, url: str, *, timeout_s: float = TIMEOUT_S) -> None:
        parts = urlsplit(url)
        try:
            host, port = parts.hostname, parts.port
        except ValueError as error:
            raise UsageError(f"{url}: {error}") from None
        if parts.scheme not in ("http", "https") or not host:
            raise UsageError(f"{url!r} is no URL of an API", "for example http://127.0.0.1:5000")
        self.url = url.rstrip("/")
        self._prefix = parts.path.rstrip("/")
        kind = HTTPSConnection if parts.scheme == "https" else HTTPConnection
        self._connection = kind(host, port, timeout=timeout_s)

    async def call(self, method: str, path: str, body: bytes | None = None) -> tuple[int, bytes]:
        """(status, body). ``path`` is percent-encoded already. Raises TransientError if no answer came."""
        return await asyncio.to_thread(self._call, method, path, body)

    def close(self) -> None:
        """Ends the connection. Idempotent."""
        self._connection.close()

    def _call(self, method: str, path: str, body: bytes | None) -> tuple[int, bytes]:
        kept = self._connection.sock is not None
        try:
            return self._once(method, path, body)
        except (OSError, HTTPException) as error:
            self._connection.close()
            # A kept connection may have been closed by the server in between; a new one tells. Events are told apart
            # by their id, so sending twice is safe.
            if not kept or isinstance(error, TimeoutError):
                raise TransientError(f"{self.url} did not answer: {error or type(error).__name__}") from None
        try:
            return self._once(method, path, body)
        except (OSError, HTTPException) as error:
            self._connection.close()
            raise TransientError(f"{self.url} did not answer: {error or type(error).__name__}") from None

    def _once(self, method: str, path: str, body: bytes | None) -> tuple[int, bytes]:
        headers = {"Accept": "application/json"}
        if body is not None:
            headers["Content-Type"] = "application/json"
        self._connection.request(method, self._prefix + path, body, headers)
        response = self._connection.getresponse()
        return response.status, response.read()
