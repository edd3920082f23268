"""One kept-alive HTTP connection to one server."""

from __future__ import annotations

import os
import zlib
from typing import TYPE_CHECKING, NamedTuple

from headwater.shared.errors import TransientError

from .._version import VERSION

if TYPE_CHECKING:
    from http.client import HTTPConnection

GZIP_FROM_BYTES = 8 * 1024
"""Bodies of this size and above are compressed."""
_TIMEOUT_S = 10.0
_MAX_ANSWER_BYTES = 4 * 1024 * 1024
_MAX_WISH_S = 600.0


class Response(NamedTuple):
    """An answer, read whole."""

    status: int
    reason: str
    body: bytes
    retry_after: str | None

    def excerpt(self) -> str:
        """The beginning of the body, on one line."""
        return " ".join(self.body[:500].decode("utf-8", "replace").split())[:200]

    def retry_after_s(self) -> float | None:
        """The Retry-After header in seconds, at most ten minutes; None if there is none that can be read."""
        said = (self.retry_after or "").strip()
        if not said:
            return None
        if said.isascii() and said.isdigit():
            return min(float(said), _MAX_WISH_S)
        from email.utils import parsedate_to_datetime
        from time import time

        try:
            return min(max(parsedate_to_datetime(said).timestamp() - time(), 0.0), _MAX_WISH_S)
        except (ValueError, TypeError):
            return None


class Connection:
    """Posts JSON. Used by one thread."""

    def __init__(
        self, host: str, port: int | None, *, tls: bool, api_key: str | None, timeout_s: float = _TIMEOUT_S
    ) -> None:
        self._host, self._port, self._tls, self._timeout_s = host, port, tls, timeout_s
        self._connection: HTTPConnection | None = None
        self._gzip = True
        self._headers = {"Content-Type": "application/json", "User-Agent": f"headwater-producer/{VERSION}"}
        if api_key:
            self._headers["Authorization"] = f"Bearer {api_key}"
        bracketed = f"[{host}]" if ":" in host else host
        self.name = f"{'https' if tls else 'http'}://{bracketed}{f':{port}' if port else ''}"

    def post(self, path: str, body: bytes) -> Response:
        """Raises TransientError where no answer came."""
        if not self._gzip or len(body) < GZIP_FROM_BYTES:
            return self._request(path, body, self._headers)
        squeezer = zlib.compressobj(1, zlib.DEFLATED, 31)
        packed = squeezer.compress(body) + squeezer.flush()
        response = self._request(path, packed, {**self._headers, "Content-Encoding": "gzip"})
        if response.status != 415:
            return response
        self._gzip = False
        return self._request(path, body, self._headers)

    def _request(self, path: str, body: bytes, headers: dict[str, str]) -> Response:
        from http.client import HTTPException

        reused = self._connection is not None
        try:
            return self._exchange(path, body, headers)
        except (OSError, HTTPException) as error:
            self.close()
            if not reused or isinstance(error, TimeoutError):
                raise TransientError(f"{self.name}: {_words(error)}") from error
        # The server may close a connection that was idle just as we write to it. Sending twice is harmless.
        try:
            return self._exchange(path, body, headers)
        except (OSError, HTTPException) as error:
            self.close()
            raise TransientError(f"{self.name}: {_words(error)}") from error

    def _exchange(self, path: str, body: bytes, headers: dict[str, str]) -> Response:
        connection = self._connection
        if connection is None:
            connection = self._connection = self._connect()
        connection.request("POST", path, body, headers)
        answer = connection.getresponse()
        content = answer.read(_MAX_ANSWER_BYTES)
        response = Response(answer.status, answer.reason, content, answer.getheader("Retry-After"))
        if answer.will_close or not answer.isclosed():
            answer.close()
            self.close()
        return response

    def _connect(self) -> HTTPConnection:
        from http.client import HTTPConnection, HTTPSConnection

        kind = HTTPSConnection if self._tls else HTTPConnection
        return kind(self._host, self._port, timeout=self._timeout_s)

    def close(self) -> None:
        connection, self._connection = self._connection, None
        if connection is not None:
            connection.close()

    def abandon(self) -> None:
        """In a forked child: closes its copy of the socket without a word to the server, whose talk is with the
        parent."""
        connection, self._connection = self._connection, None
        socket = getattr(connection, "sock", None)
        if socket is not None:
            fd = socket.detach()
            if fd >= 0:
                os.close(fd)


def _words(error: Exception) -> str:
    return str(error) or type(error).__name__
