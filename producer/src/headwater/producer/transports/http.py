"""POSTs events to an OpenLineage endpoint: in batches where the server has them, else one by one."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from headwater.shared.errors import ConfigurationError, PermanentError, TransientError

from . import shown
from ._connection import Connection, Response
from .base import DELIVERED, Outcome

if TYPE_CHECKING:
    from .._settings import Settings

_PATH = "/api/v1/lineage"
_NO_BATCHES = (404, 405, 501)
_OURS_TO_MEND = (401, 403, 404, 405, 407)
"""Answers that speak of the address or the key, not of the event: it waits in the spool until somebody mends them."""
_TRY_AGAIN = (408, 421, 425, 429)


class HttpTransport:
    """One server. Keeps its connection; follows no proxy and no redirect; the API key goes to this server alone."""

    def __init__(self, connection: Connection, path: str = "") -> None:
        self._connection = connection
        self._path = path + _PATH
        self._batches = True

    def send(self, batch: Sequence[bytes]) -> Outcome:
        if self._batches and len(batch) > 1:
            response = self._connection.post(f"{self._path}/batch", b"[" + b",".join(batch) + b"]")
            if response.status not in _NO_BATCHES:
                return _batch_outcome(self._checked(response), len(batch))
            self._batches = False
        return self._one_by_one(batch)

    def _one_by_one(self, batch: Sequence[bytes]) -> Outcome:
        refused: dict[int, str] = {}
        for index, event in enumerate(batch):
            try:
                self._checked(self._connection.post(self._path, event))
            except PermanentError as error:
                refused[index] = str(error)
            except TransientError as error:
                return Outcome(refused, tuple(range(index, len(batch))), str(error), error.retry_after_s)
        return Outcome(refused) if refused else DELIVERED

    def _checked(self, response: Response) -> Response:
        """The response if it took the events. Raises TransientError or PermanentError."""
        status = response.status
        if 200 <= status < 300:
            return response
        said = f"{self._connection.name} answered {status} {response.reason}: {response.excerpt()}"
        if 300 <= status < 400:
            raise TransientError(f"{self._connection.name} answered {status}, a redirect, which is not followed")
        if 400 <= status < 500 and status not in _TRY_AGAIN and status not in _OURS_TO_MEND:
            raise PermanentError(said)
        raise TransientError(said, retry_after_s=response.retry_after_s())

    def close(self) -> None:
        self._connection.close()

    def forked(self) -> None:
        self._connection.abandon()


def _batch_outcome(response: Response, count: int) -> Outcome:
    """What a batch's answer says of each event: 204, or 200 with failed_events (OpenLineage's batch endpoint)."""
    if response.status == 204 or not response.body:
        return DELIVERED
    try:
        failed = json.loads(response.body).get("failed_events") or []
        told = {one["index"]: (str(one.get("reason") or "refused"), bool(one.get("retriable"))) for one in failed}
    except (ValueError, KeyError, TypeError, AttributeError):
        return DELIVERED  # another server's own words beside a 2xx
    told = {index: said for index, said in told.items() if isinstance(index, int) and 0 <= index < count}
    refused = {index: reason for index, (reason, again) in told.items() if not again}
    retry = tuple(sorted(index for index, (_, again) in told.items() if again))
    return Outcome(refused, retry, told[retry[0]][0] if retry else None, response.retry_after_s())


def from_url(url: str, settings: Settings) -> HttpTransport:
    try:
        parts = urlsplit(url)
        host, port = parts.hostname, parts.port
    except ValueError as error:
        raise ConfigurationError("url", shown(url), f"{error}; use http(s)://host:port") from None
    if not host or parts.username is not None or parts.query or parts.fragment or "," in parts.netloc:
        remedy = "use http(s)://host:port or http(s)://host:port/prefix; a key goes into HEADWATER_API_KEY"
        raise ConfigurationError("url", shown(url), remedy)
    path = parts.path.rstrip("/").removesuffix(_PATH)
    if not (path + host).isascii() or any(char.isspace() or not char.isprintable() for char in path + host):
        raise ConfigurationError("url", shown(url), "percent-encode what is not ASCII in it")
    tls = parts.scheme.lower() == "https"
    return HttpTransport(Connection(host, port, tls=tls, api_key=settings.api_key), path)
