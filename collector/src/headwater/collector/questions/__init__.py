"""Questions: from fetched facts to answers. API, CLI and client ask only these; every answer is ready for JSON.

Names in answers are ``{"namespace", "name"}``, times are ISO 8601 in UTC, keys are camelCase. An answer that was cut
says ``truncated`` and ``truncatedBy``.
"""

from __future__ import annotations

import asyncio
from collections.abc import Collection
from typing import TypeVar

from headwater.collector.derive.subsets import parse_partition
from headwater.collector.questions.columns import column_sources_answer, columns_answer
from headwater.collector.questions.entities import dataset_answer, job_answer
from headwater.collector.questions.evidence import evidence_answer
from headwater.collector.questions.execution import instance_answer, job_run_answer, want_answer
from headwater.collector.questions.fingerprint import fingerprint_of
from headwater.collector.questions.impact import Reach, impact_answer, upstream_answer
from headwater.collector.questions.lineage import Graph, directed, graph_json, neighbourhood
from headwater.collector.questions.logical import logical_answer
from headwater.collector.questions.lookup import Lookup
from headwater.collector.questions.partitions import partition_answer
from headwater.collector.questions.runs import parse_cursor, run_answer, runs_answer
from headwater.collector.questions.shapes import Json
from headwater.collector.questions.whole import whole
from headwater.collector.stores.reading import Ask, Document, EventFilter, NodeKind, Reader, RunFilter
from headwater.shared import times
from headwater.shared.event import Name

__all__ = ["Questions"]

T = TypeVar("T")


class Questions:
    """Asks one reader. Methods raise TransientError when its engine cannot be reached. ``as_of``: any ISO time; the
    question is answered as it was then (rule 17); ValueError if malformed."""

    def __init__(self, reader: Reader) -> None:
        self.reader = reader

    async def whole(self, ask: Ask[T]) -> T:
        """What ``ask`` finds, in one view of the store where the store has such a thing, see ``whole``."""
        return await whole(self.reader, ask)

    async def run(self, run_id: str) -> Json | None:
        """One run with history, reads, writes and facets; None if unknown."""
        return await self.whole(lambda reader: run_answer(reader, run_id))

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

    async def logical_run(self, key: str, *, as_of: str | None = None) -> Json | None:
        """The attempts of a logical run, its winner and what changed; None if unknown."""
        at = _moment(as_of)
        return await self.whole(lambda reader: logical_answer(Lookup(reader, at), key))

    async def dataset(self, name: Name) -> Json | None:
        """A dataset with its generations; None if unknown."""
        return await self.whole(lambda reader: dataset_answer(Lookup(reader), name))

    async def job(self, name: Name) -> Json | None:
        """A job with its current edges; None if unknown."""
        return await self.whole(lambda reader: job_answer(Lookup(reader), name))

    async def evidence(
        self,
        dataset: Name,
        generation: str | None = None,
        *,
        depth: int = 1,
        as_of: str | None = None,
        partition: Collection[str] = (),
    ) -> Json:
        """Which run, code and inputs made a generation (the current one by default), see ``evidence_answer``.
        ``partition``: texts ``dimension=value``; ValueError if malformed."""
        part = parse_partition(partition) if partition else None
        at = _moment(as_of)
        return await self.whole(lambda reader: evidence_answer(Lookup(reader, at), dataset, generation, depth, part))

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
    ) -> Json:
        """What one partition was made from, or what was made from it, see ``partition_answer``. ValueError as above."""
        part, at = parse_partition(partition), _moment(as_of)
        return await self.whole(
            lambda reader: partition_answer(
                Lookup(reader, at), dataset, generation, part, upstream=upstream, max_depth=max_depth, limit=limit
            )
        )

    async def want(self, want_id: str, *, depth: int = 3, limit: int = 100, after: str | None = None) -> Json | None:
        """A want with the job runs that served it and the wants derived from it, see ``want_answer``; None if unknown.
        ValueError for a malformed ``after``, here and in the next two."""
        return await self.whole(
            lambda reader: want_answer(Lookup(reader), want_id, depth=depth, limit=limit, after=after)
        )

    async def instance(
        self, partition: Name, generation: str | None = None, *, limit: int = 100, after: str | None = None
    ) -> Json:
        """A partition's canonical instance, or that of a generation, see ``instance_answer``."""
        return await self.whole(
            lambda reader: instance_answer(Lookup(reader), partition, generation, limit=limit, after=after)
        )

    async def job_run(self, run_id: str, *, limit: int = 100, after: str | None = None) -> Json | None:
        """A job run as a build system sees it, see ``job_run_answer``; None if unknown."""
        return await self.whole(lambda reader: job_run_answer(Lookup(reader), run_id, limit=limit, after=after))

    async def export(self, dataset: Name, generation: str | None, format_: str, *, depth: int = 1) -> Json:
        """Evidence in a format for others, see ``exports.formats.export``. Raises NotPublishedError."""
        from headwater.collector.exports.formats import export

        return await export(self, dataset, generation, format_, depth=depth)

    async def check_manifest(self, manifest: Json) -> Json:
        """Whether a manifest, as ``parse_manifest`` reads it, still says what the store says."""
        from headwater.collector.exports.checking import check

        return (await check(self, manifest)).as_dict()

    async def columns(self, dataset: Name, generation: str | None, column: str) -> list[Json]:
        """The direct sources of one output column."""
        return await self.whole(lambda reader: columns_answer(Lookup(reader), dataset, generation, column))

    async def column_sources(self, dataset: Name, generation: str | None, column: str, *, max_depth: int = 20) -> Json:
        """The sources of one output column, theirs and so on."""
        return await self.whole(
            lambda reader: column_sources_answer(Lookup(reader), dataset, generation, column, max_depth)
        )

    async def upstream(
        self,
        dataset: Name,
        generation: str | None = None,
        *,
        max_depth: int = 20,
        limit: int = 10_000,
        as_of: str | None = None,
    ) -> Json:
        """The generations that a committed generation was made from, by distance, see ``upstream_answer``."""
        at, reach = _moment(as_of), Reach(max_depth, limit)
        return await self.whole(lambda reader: upstream_answer(Lookup(reader, at), dataset, generation, reach))

    async def impact(
        self,
        dataset: Name,
        generation: str | None = None,
        *,
        max_depth: int = 20,
        limit: int = 10_000,
        as_of: str | None = None,
        consumers: bool = False,
    ) -> Json:
        """The committed generations that were made from a generation, by distance, see ``impact_answer``."""
        at, reach = _moment(as_of), Reach(max_depth, limit)
        return await self.whole(
            lambda reader: impact_answer(Lookup(reader, at), dataset, generation, reach, consumers=consumers)
        )

    async def lineage(
        self,
        node: Name,
        kind: NodeKind,
        *,
        up: int = 3,
        down: int = 3,
        limit: int = 2_000,
        as_of: str | None = None,
    ) -> Json | None:
        """The graph of current edges around a job or dataset, by jobs passed; None if no event names the node."""
        at = _moment(as_of)

        async def ask(reader: Reader) -> Json | None:
            lookup = Lookup(reader)
            start = await _start(lookup, node, kind)
            return start and graph_json(await directed(lookup, (kind, start), up=up, down=down, limit=limit, at=at))

        return await self.whole(ask)

    async def neighbourhood(self, node: Name, kind: NodeKind, *, depth: int, limit: int = 10_000) -> Graph | None:
        """Marquez's undirected graph around a node; None if no event names the node."""

        async def ask(reader: Reader) -> Graph | None:
            lookup = Lookup(reader)
            start = await _start(lookup, node, kind)
            return start and await neighbourhood(lookup, (kind, start), depth=depth, limit=limit)

        return await self.whole(ask)

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


def _moment(as_of: str | None) -> str | None:
    """Canonical. Raises ValueError."""
    return times.parse(as_of) if as_of else None


async def _start(lookup: Lookup, node: Name, kind: NodeKind) -> Name | None:
    if kind == "job":
        return node if await lookup.reader.jobs([node]) else None
    name = await lookup.canonical(node)
    return name if await lookup.reader.datasets(lookup.identity.members(name)) else None
