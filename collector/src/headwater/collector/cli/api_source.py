"""The questions, asked of a running headwater over HTTP. The answers are the same objects."""

from __future__ import annotations

import json
from collections.abc import Collection
from typing import Any
from urllib.parse import quote, urlencode

from headwater.shared.errors import TransientError
from headwater.shared.event import Name

from .exits import CommandError, UsageError
from .http import Server
from .sources import Answer, NodeKind


class ApiSource:
    """A Source over an API's base URL. Raises TransientError where no answer comes."""

    def __init__(self, url: str) -> None:
        self._server = Server(url)

    def close(self) -> None:
        """Ends the connection. Idempotent."""
        self._server.close()

    async def run(self, run_id: str) -> Answer | None:
        return await self._get(["runs", run_id])

    async def runs(
        self,
        *,
        job: Name | None = None,
        status: str | None = None,
        since: str | None = None,
        limit: int = 100,
        after: str | None = None,
    ) -> Answer:
        named = {"namespace": job.namespace, "job": job.name} if job else {}
        return await self._ask(["runs"], {**named, "status": status, "since": since, "limit": limit, "after": after})

    async def dataset(self, name: Name) -> Answer | None:
        return await self._get(["datasets", *name])

    async def job(self, name: Name) -> Answer | None:
        return await self._get(["jobs", *name])

    async def evidence(
        self,
        dataset: Name,
        generation: str | None = None,
        *,
        depth: int = 1,
        as_of: str | None = None,
        partition: Collection[str] = (),
    ) -> Answer:
        asked = {"generation": generation, "depth": depth, "asOf": as_of, "partition": list(partition) or None}
        return await self._ask(["evidence", *dataset], asked)

    async def partition(
        self,
        dataset: Name,
        partition: Collection[str],
        generation: str | None = None,
        *,
        upstream: bool,
        max_depth: int = 20,
        limit: int = 10_000,
        as_of: str | None = None,
    ) -> Answer:
        asked = {"generation": generation, "max_depth": max_depth, "limit": limit, "asOf": as_of}
        return await self._ask(
            ["upstream" if upstream else "impact", *dataset], {**asked, "partition": list(partition)}
        )

    async def export(self, dataset: Name, generation: str | None, format_: str, *, depth: int = 1) -> Answer:
        asked = {"generation": generation, "depth": depth, "format": format_}
        return await self._ask(["evidence", *dataset], asked)

    async def check_manifest(self, manifest: Answer) -> Answer:
        return await self._post(["manifests", "verify"], manifest)

    async def column_sources(
        self, dataset: Name, generation: str | None, column: str, *, max_depth: int = 20
    ) -> Answer:
        asked = {"generation": generation, "max_depth": max_depth}
        answer: Answer = (await self._ask(["columns", *dataset, column], asked))["sources"]
        return answer

    async def impact(
        self,
        dataset: Name,
        generation: str | None = None,
        *,
        max_depth: int = 20,
        limit: int = 10_000,
        as_of: str | None = None,
        consumers: bool = False,
    ) -> Answer:
        asked = {"generation": generation, "max_depth": max_depth, "limit": limit, "asOf": as_of}
        asked["consumers"] = "true" if consumers else None
        return await self._ask(["impact", *dataset], asked)

    async def logical_run(self, key: str) -> Answer | None:
        return await self._get(["logical-runs", key])

    async def want(self, want_id: str, *, depth: int = 3, limit: int = 100, after: str | None = None) -> Answer | None:
        return await self._get(["wants", want_id], {"depth": depth, "limit": limit, "after": after})

    async def instance(
        self, partition: Name, generation: str | None = None, *, limit: int = 100, after: str | None = None
    ) -> Answer:
        asked = {"generation": generation, "limit": limit, "after": after}
        return await self._ask(["partitions", *partition], asked)

    async def job_run(self, run_id: str, *, limit: int = 100, after: str | None = None) -> Answer | None:
        return await self._get(["job_runs", run_id], {"limit": limit, "after": after})

    async def lineage(
        self, node: Name, kind: NodeKind, *, up: int = 3, down: int = 3, as_of: str | None = None
    ) -> Answer | None:
        return await self._get(["lineage", kind, *node], {"up": up, "down": down, "asOf": as_of})

    async def fingerprint(self) -> str:
        return str((await self._ask(["fingerprint"]))["fingerprint"])

    async def _ask(self, segments: list[str], query: dict[str, Any] | None = None) -> Answer:
        answer = await self._get(segments, query)
        if answer is None:
            raise CommandError(f"{self._server.url} does not know /api/{'/'.join(segments)}")
        return answer

    async def _get(self, segments: list[str], query: dict[str, Any] | None = None) -> Answer | None:
        path = _path(segments)
        asked = urlencode({key: value for key, value in (query or {}).items() if value is not None}, doseq=True)
        status, body = await self._server.call("GET", f"{path}?{asked}" if asked else path)
        return self._read(path, status, body)

    async def _post(self, segments: list[str], value: Answer) -> Answer:
        path = _path(segments)
        answer = self._read(path, *await self._server.call("POST", path, json.dumps(value).encode()))
        if answer is None:
            raise CommandError(f"{self._server.url} does not know {path}")
        return answer

    def _read(self, path: str, status: int, body: bytes) -> Answer | None:
        try:
            answer = json.loads(body)
        except ValueError:
            answer = None
        if status == 200 and isinstance(answer, dict):
            return answer
        if status == 404 and isinstance(answer, dict) and "message" in answer:
            return None
        said = answer.get("message") if isinstance(answer, dict) else None
        text = f"{self._server.url}{path} answered HTTP {status}: {said or body[:200].decode('utf-8', 'replace')}"
        if status in (429, 502, 503, 504):
            raise TransientError(text)
        if status == 400 and said:
            raise UsageError(text)
        raise CommandError(text, "is this the address of a headwater API?")


def _path(segments: list[str]) -> str:
    return "/api/" + "/".join(quote(segment, safe="") for segment in segments)
