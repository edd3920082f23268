"""Where ``headwater emit`` hands events: an embedded directory, a local log, or a server."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple, Protocol
from urllib.parse import urlsplit

from headwater.collector.logurl import path_of_url
from headwater.collector.settings import Settings
from headwater.shared.errors import TransientError
from headwater.shared.log.base import Record

from ..exits import CommandError, UsageError
from ..http import Server
from .reading import Bad, Good

ACCEPTED_URLS = "http://host:5000, https://host, kafka://host:9092/topic or file:///path/to/log"


class Outcome(NamedTuple):
    """What became of one batch: refused events, and those to be sent again."""

    refused: list[Bad]
    again: list[Good]


class Sink(Protocol):
    """Takes events durably."""

    where: str
    """For people."""

    async def open(self) -> None: ...

    async def send(self, batch: Sequence[Good]) -> Outcome:
        """Returns when every event of the batch that is in neither list is durable. Raises TransientError: then any
        part of the batch may have been taken, and sending it again is safe."""
        ...

    async def close(self) -> None: ...


def sink_for(url: str | None, directory: Path) -> Sink:
    """The sink of ``--url``, else of the directory. Raises UsageError."""
    if not url:
        from .directory import directory_sink

        return directory_sink(directory)
    scheme = urlsplit(url).scheme
    if scheme in ("http", "https"):
        return ServerSink(url)
    if scheme == "kafka":
        from .kafka import KafkaSink

        return KafkaSink(url)
    if (path := path_of_url(url)) is not None:
        return LogSink(path, Settings().lineage.collector_topic)
    raise UsageError(f"--url {url}: cannot send there", f"accepted are {ACCEPTED_URLS}")


class LogSink:
    """Appends to a local log that a collector reads, now or later."""

    def __init__(self, root: Path, topic: str) -> None:
        from headwater.shared.log.local import LocalLog

        self.where = f"the log {root}"
        self.following = 0
        """The offset after the last one written."""
        self._log, self._topic = LocalLog(root), topic

    async def open(self) -> None:
        await self._log.open()

    async def send(self, batch: Sequence[Good]) -> Outcome:
        offsets = await self._log.append(self._topic, [Record(good.raw) for good in batch])
        self.following = offsets[-1] + 1
        return Outcome([], [])

    async def close(self) -> None:
        await self._log.close()


class ServerSink:
    """Posts to ``/api/v1/lineage/batch``, or one by one where a server has no such path (Marquez)."""

    def __init__(self, url: str) -> None:
        self.where = url
        self._server = Server(url)
        self._one_by_one = False

    async def open(self) -> None:
        # Any answer will do: a server that is not there is told at once, not after the patience that a batch has.
        await self._server.call("GET", "/healthz")

    async def send(self, batch: Sequence[Good]) -> Outcome:
        if self._one_by_one:
            return await self._singly(batch)
        body = b"[" + b",".join(good.raw for good in batch) + b"]"
        status, answer = await self._server.call("POST", "/api/v1/lineage/batch", body)
        if status in (404, 405):
            self._one_by_one = True
            return await self._singly(batch)
        if status == 413 and len(batch) > 1:
            half = len(batch) // 2
            first, second = await self.send(batch[:half]), await self.send(batch[half:])
            return Outcome(first.refused + second.refused, first.again + second.again)
        if not 200 <= status < 300:
            raise _refusal(self.where, status, answer)
        return _failed(batch, answer)

    async def _singly(self, batch: Sequence[Good]) -> Outcome:
        refused = []
        for good in batch:
            status, answer = await self._server.call("POST", "/api/v1/lineage", good.raw)
            if status in (400, 413, 422):
                refused.append(Bad(good.place, "refused_by_server", _message(answer) or f"HTTP {status}"))
            elif not 200 <= status < 300:
                raise _refusal(self.where, status, answer)
        return Outcome(refused, [])

    async def close(self) -> None:
        self._server.close()


def _failed(batch: Sequence[Good], answer: bytes) -> Outcome:
    """The ``failed_events`` of the OpenLineage batch answer."""
    outcome = Outcome([], [])
    told: Any = json.loads(answer) if answer.strip() else {}
    for failed in told.get("failed_events") or []:
        good = batch[failed["index"]]
        if failed.get("retriable"):
            outcome.again.append(good)
        else:
            outcome.refused.append(Bad(good.place, "refused_by_server", str(failed.get("reason", ""))))
    return outcome


def _refusal(where: str, status: int, answer: bytes) -> Exception:
    said = f"{where} answered HTTP {status}: {_message(answer)}"
    if status in (408, 425, 429) or status >= 500:
        return TransientError(said)
    return CommandError(said, "is this the address of a headwater or OpenLineage API?")


def _message(answer: bytes) -> str:
    try:
        told = json.loads(answer)
    except ValueError:
        return answer[:200].decode("utf-8", "replace").strip()
    message = told.get("message") or told.get("errors") or told if isinstance(told, dict) else told
    return "; ".join(map(str, message)) if isinstance(message, list) else str(message)
