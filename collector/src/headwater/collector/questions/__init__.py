"""Questions: from fetched facts to answers. API, CLI and client ask only these; every answer is ready for JSON.

Names in answers are ``{"namespace", "name"}``, times are ISO 8601 in UTC, keys are camelCase. An answer that was cut
says ``truncated`` and ``truncatedBy``.
"""

from __future__ import annotations

import asyncio
from collections.abc import Collection

from headwater.collector.questions.columns import column_sources_answer, columns_answer, resolve
from headwater.collector.questions.entities import dataset_answer, job_answer
from headwater.collector.questions.evidence import evidence_answer
from headwater.collector.questions.fingerprint import fingerprint_of
from headwater.collector.questions.lineage import Graph, NodeKind, directed, graph_json, neighbourhood
from headwater.collector.questions.lookup import Lookup
from headwater.collector.questions.runs import logical_answer, parse_cursor, run_answer, runs_answer
from headwater.collector.questions.shapes import Json, name_json
from headwater.collector.questions.walks import Expand, Walk, downstream_of, upstream_of, walk
from headwater.collector.stores.reading import Document, EventFilter, Reader, RunFilter
from headwater.shared import times
from headwater.shared.event import Name

__all__ = ["Questions"]


class Questions:
    """Asks one reader. Methods raise TransientError when its engine cannot be reached."""

    def __init__(self, reader: Reader) -> None:
        self.reader = reader

    async def run(self, run_id: str) -> Json | None:
        """One run with history, reads, writes and facets; None if unknown."""
        return await run_answer(self.reader, run_id)

    async def runs(
        self,
        *,
        job: Name | None = None,
        status: str | None = None,
        since: str | None = None,
        parent: str | None = None,
        limit: int = 100,
        after: str | None = None,
    ) -> Json:
        """A page of runs, newest first. ``since`` is any ISO time, ``after`` the ``next`` of an earlier page. Raises
        ValueError for either if malformed."""
        where = RunFilter(
            job=job,
            state=status,
            since=times.parse(since) if since else None,
            parent=parent,
            before=parse_cursor(after) if after else None,
        )
        return await runs_answer(self.reader, where, limit)

    async def logical_run(self, key: str) -> Json | None:
        """The attempts of a logical run, its winner and what changed; None if unknown."""
        return await logical_answer(self.reader, key)

    async def dataset(self, name: Name) -> Json | None:
        """A dataset with its generations; None if unknown."""
        return await dataset_answer(Lookup(self.reader), name)

    async def job(self, name: Name) -> Json | None:
        """A job with its current edges; None if unknown."""
        return await job_answer(Lookup(self.reader), name)

    async def evidence(self, dataset: Name, generation: str | None = None, *, depth: int = 1) -> Json:
        """Which run, code and inputs made a generation (the current one by default), see ``evidence_answer``."""
        return await evidence_answer(Lookup(self.reader), dataset, generation, depth)

    async def columns(self, dataset: Name, generation: str | None, column: str) -> list[Json]:
        """The direct sources of one output column."""
        return await columns_answer(Lookup(self.reader), dataset, generation, column)

    async def column_sources(self, dataset: Name, generation: str | None, column: str, *, max_depth: int = 20) -> Json:
        """The sources of one output column, theirs and so on."""
        return await column_sources_answer(Lookup(self.reader), dataset, generation, column, max_depth)

    async def upstream(
        self, dataset: Name, generation: str | None = None, *, max_depth: int = 20, limit: int = 10_000
    ) -> Json:
        """The generations that a committed generation was made from, by distance."""
        lookup = Lookup(self.reader)
        return await self._walk(lookup, upstream_of(lookup), dataset, generation, max_depth, limit)

    async def impact(
        self, dataset: Name, generation: str | None = None, *, max_depth: int = 20, limit: int = 10_000
    ) -> Json:
        """The committed generations that were made from a generation, by distance."""
        lookup = Lookup(self.reader)
        return await self._walk(lookup, downstream_of(lookup), dataset, generation, max_depth, limit)

    async def _walk(
        self, lookup: Lookup, expand: Expand, dataset: Name, generation: str | None, max_depth: int, limit: int
    ) -> Json:
        name, version = await resolve(lookup, dataset, generation)
        found = Walk([], None)
        if version is not None:
            found = await walk((name, version), expand, max_depth=max_depth, limit=limit)
        return {
            "start": {"dataset": name_json(name), "version": version},
            "reached": [
                {
                    "dataset": name_json(each.generation[0]),
                    "version": each.generation[1],
                    "distance": each.distance,
                    "possible": each.possible,
                    "runId": each.run,
                }
                for each in found.reached
            ],
            "truncated": found.truncated_by is not None,
            "truncatedBy": found.truncated_by,
        }

    async def lineage(
        self, node: Name, kind: NodeKind, *, up: int = 3, down: int = 3, limit: int = 2_000
    ) -> Json | None:
        """The graph of current edges around a job or dataset, by jobs passed; None if no event names the node."""
        lookup = Lookup(self.reader)
        start = await self._start(lookup, node, kind)
        return start and graph_json(await directed(lookup, (kind, start), up=up, down=down, limit=limit))

    async def neighbourhood(self, node: Name, kind: NodeKind, *, depth: int, limit: int = 10_000) -> Graph | None:
        """Marquez's undirected graph around a node; None if no event names the node."""
        lookup = Lookup(self.reader)
        start = await self._start(lookup, node, kind)
        return start and await neighbourhood(lookup, (kind, start), depth=depth, limit=limit)

    async def _start(self, lookup: Lookup, node: Name, kind: NodeKind) -> Name | None:
        if kind == "job":
            return node if await self.reader.jobs([node]) else None
        name = await lookup.canonical(node)
        return name if await self.reader.datasets(lookup.identity.members(name)) else None

    async def event(self, event_id: str) -> Document | None:
        """A stored event, its bytes as received."""
        return await self.reader.document(event_id)

    async def events(self, where: EventFilter, *, limit: int = 100, offset: int = 0) -> tuple[int, list[Document]]:
        """(total, a page) of stored events."""
        return await self.reader.count_documents(where), await self.reader.list_documents(where, limit, offset)

    async def canonical(self, names: Collection[Name]) -> dict[Name, Name]:
        """Each name to the name of its dataset."""
        lookup = Lookup(self.reader)
        await lookup.identify(names)
        return {name: lookup.identity.of(name) for name in names}

    async def fingerprint(self) -> str:
        """64 hex digits, equal for equal sets of events."""
        lines = await self.reader.base_lines()
        return await asyncio.to_thread(fingerprint_of, lines)

    async def counts(self) -> dict[str, int]:
        """How much the store holds."""
        return dict(await self.reader.counts())
