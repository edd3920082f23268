"""The ``openlineage`` store; what answers mean stands in ``responses``."""

from __future__ import annotations

import asyncio
import gzip
from collections.abc import Sequence
from typing import Final

import httpx

from headwater.collector.redact import redacted
from headwater.collector.settings import ConnectionSettings
from headwater.collector.stores.base import ProjectedEvent
from headwater.collector.stores.deadline import within
from headwater.collector.stores.openlineage.responses import (
    NO_SUCH_ENDPOINT,
    UNSUPPORTED_ENCODING,
    check,
    check_batch,
)
from headwater.shared.errors import ConfigurationError, PermanentError, TransientError

_GZIP_BYTES: Final = 1024
"""A smaller body is not worth packing."""
_SECTION: Final = "lineage.store.openlineage"


class OpenLineageStore:
    """Write only: posts the bytes as received, by batches where the server has the batch endpoint, else one by one.

    The server decides what a repeated event means; the events of one run are sent in order, those of several runs side
    by side. Trying again is the pipeline's: 5xx, 408, 429 and a server that is down are transient, other refusals of an
    event permanent.
    """

    remote = True

    def __init__(
        self,
        url: str | None = None,
        *,
        name: str = "openlineage",
        connection: ConnectionSettings | None = None,
        endpoint: str = "api/v1/lineage",
        api_key: str | None = None,
        compression: str | None = "gzip",
        batch: bool = True,
        parallel: int = 8,
        deadline_s: float = 25.0,
        transport: httpx.AsyncBaseTransport | None = None,
    ) -> None:
        """``url``: the server's, or ``connection`` (``..._connection_name`` in the settings) whose user and password
        are sent as basic authentication and whose ``api_key`` as a bearer token. ``compression``: "gzip" or "none".
        ``parallel``: posts at once without the batch endpoint. Raises ConfigurationError."""
        self.name = name
        base = url or (connection.uri if connection else "")
        if not base.startswith(("http://", "https://")):
            raise ConfigurationError(f"{_SECTION}.url", redacted(base), "must start with http:// or https://")
        if compression not in ("gzip", "none", None):
            raise ConfigurationError(f"{_SECTION}.compression", compression, 'use "gzip" or "none"')
        self._url = f"{base.rstrip('/')}/{endpoint.strip('/')}"
        self._headers = {"Content-Type": "application/json"}
        key = api_key or (connection.model_extra or {}).get("api_key") if connection else api_key
        if key:
            self._headers["Authorization"] = f"Bearer {key}"
        self._auth = (connection.user, connection.secret() or "") if connection and connection.user else None
        self._gzip, self._batch = compression == "gzip", batch
        self._parallel, self._deadline_s, self._transport = max(1, parallel), deadline_s, transport
        self._client: httpx.AsyncClient | None = None

    async def open(self) -> None:
        """Nothing is sent. Idempotent."""
        if self._client is None:
            self._client = httpx.AsyncClient(
                headers=self._headers, auth=self._auth, timeout=self._deadline_s, transport=self._transport
            )

    async def write(self, batch: Sequence[ProjectedEvent]) -> None:
        """Returns when the server has said that it took every event."""
        async with within(self._deadline_s, f"store {self.name}"):
            if len(batch) == 1 or not self._batch or not await self._post_batch(batch):
                await self._post_each(batch)

    async def _post_batch(self, batch: Sequence[ProjectedEvent]) -> bool:
        """False if the server has no such endpoint; it is not asked again."""
        body = b"[" + b",".join(each.event.raw for each in batch) + b"]"
        response = await self._post(f"{self._url}/batch", body)
        if response.status_code in NO_SUCH_ENDPOINT:
            self._batch = False
            return False
        check_batch(response, self.name)
        return True

    async def _post_each(self, batch: Sequence[ProjectedEvent]) -> None:
        families: dict[object, list[bytes]] = {}
        for each in batch:
            event = each.event
            about = event.run_id or event.job or (event.dataset and event.dataset.name)
            families.setdefault(about, []).append(event.raw)
        places = asyncio.Semaphore(self._parallel)

        async def send(bodies: list[bytes]) -> None:
            async with places:
                for body in bodies:
                    check(await self._post(self._url, body), self.name)

        results = await asyncio.gather(*(send(bodies) for bodies in families.values()), return_exceptions=True)
        failures = [result for result in results if isinstance(result, BaseException)]
        if failures:
            # A refusal is told first: it stands, and the batch is then cut down to it.
            raise next((each for each in failures if isinstance(each, PermanentError)), failures[0])

    async def _post(self, url: str, body: bytes) -> httpx.Response:
        packed = self._gzip and len(body) > _GZIP_BYTES
        response = await self._send(url, body, packed)
        if packed and response.status_code == UNSUPPORTED_ENCODING:
            self._gzip = False
            response = await self._send(url, body, False)
        return response

    async def _send(self, url: str, body: bytes, packed: bool) -> httpx.Response:
        content = await asyncio.to_thread(gzip.compress, body, 5) if packed else body
        headers = {"Content-Encoding": "gzip"} if packed else {}
        try:
            return await self._opened().post(url, content=content, headers=headers)
        except httpx.HTTPError as error:
            raise self._down(url, error) from error

    async def ping(self) -> None:
        """Whether the server answers, whatever it answers but 5xx."""
        try:
            response = await self._opened().head(self._url)
        except httpx.HTTPError as error:
            raise self._down(self._url, error) from error
        if response.is_server_error:
            check(response, self.name)

    async def inspect(self) -> str:
        """See ``Inspectable``: that the server answers; nothing is posted."""
        await self.open()
        try:
            async with within(self._deadline_s, f"store {self.name}"):
                await self.ping()
        finally:
            await self.close()
        return f"{redacted(self._url)} answers"

    async def close(self) -> None:
        """Idempotent."""
        client, self._client = self._client, None
        if client is not None:
            await client.aclose()

    def _down(self, url: str, error: httpx.HTTPError) -> TransientError:
        return TransientError(f"store {self.name}: {redacted(url)}: {type(error).__name__}: {error}")

    def _opened(self) -> httpx.AsyncClient:
        if self._client is None:
            raise TransientError(f"store {self.name} is not open")
        return self._client
