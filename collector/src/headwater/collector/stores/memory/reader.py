"""Reads by looking at everything; the contract is ``headwater.collector.stores.reading.Reader``."""

from __future__ import annotations

from collections import Counter
from collections.abc import AsyncIterator, Callable, Collection, Iterable, Mapping, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Literal

from headwater.collector.catalog import is_reserved
from headwater.collector.facts import Mark, Scope, Side
from headwater.collector.stores.memory import catalog
from headwater.collector.stores.memory import wants as wanting
from headwater.collector.stores.memory.base_lines import base_lines
from headwater.collector.stores.memory.view import Mentioned, current_edges
from headwater.collector.stores.reading import (
    Claim,
    DatasetFacts,
    Document,
    Drop,
    EventFilter,
    Facets,
    Hit,
    JobEdge,
    JobFacts,
    Link,
    NamespaceFacts,
    PinQuery,
    Read,
    ReadQuery,
    RunFacts,
    RunFilter,
    RunRow,
    RunsPage,
    Search,
    SourceFacts,
    WantFacts,
    WantLinks,
    WantQuery,
)
from headwater.shared.event import Name

if TYPE_CHECKING:
    from headwater.collector.stores.memory.store import Kept, MemoryLineageStore

LATEST = "~"
"""Greater than every canonical time."""


class MemoryReader:
    """The read half of a ``MemoryLineageStore``."""

    def __init__(self, store: MemoryLineageStore) -> None:
        self._store = store

    # Documents

    async def document(self, event_id: str) -> Document | None:
        kept = self._store.kept.get(event_id)
        return None if kept is None else _document(kept)

    async def list_documents(self, where: EventFilter, limit: int, offset: int) -> list[Document]:
        found = [kept for kept in self._store.kept.values() if _matches(kept, where)]
        if where.descending:
            found.reverse()
        found.sort(key=lambda kept: kept.event.event_time, reverse=where.descending)
        return [_document(kept) for kept in found[offset : offset + max(limit, 0)]]

    async def count_documents(self, where: EventFilter) -> int:
        return sum(_matches(kept, where) for kept in self._store.kept.values())

    async def count_by_type(self, bounds: Sequence[str]) -> list[dict[str, int]]:
        events = [kept.event for kept in self._store.kept.values() if kept.event.event_type]
        return [
            dict(Counter(str(event.event_type) for event in events if since <= event.event_time < before))
            for since, before in pairwise(bounds)
        ]

    async def event_ids(self) -> AsyncIterator[str]:
        """See ``auditing.EventIds``."""
        for event_id in list(self._store.kept):
            yield event_id

    async def known_events(self, event_ids: Collection[str]) -> set[str]:
        return self._store.kept.keys() & set(event_ids)

    # Runs

    async def runs(
        self,
        runs: Collection[str],
        *,
        io: bool = True,
        facets: Collection[str] | None = None,
        described: Collection[str] | None = None,
    ) -> dict[str, RunFacts]:
        known = self._store.view().runs
        found = {run: known[run].facts for run in runs if run in known}
        if facets is not None:
            found = {run: _with_facets(facts, facets) for run, facts in found.items()}
        if described is not None:
            found = {run: _with_described(facts, described) for run, facts in found.items()}
        return found if io else {run: facts._replace(io=()) for run, facts in found.items()}

    async def run_rows(self, runs: Collection[str]) -> dict[str, RunRow]:
        known = self._store.view().runs
        return {run: known[run].row for run in runs if run in known}

    async def list_runs(self, where: RunFilter, limit: int) -> list[RunRow]:
        rows = [run.row for run in self._store.view().runs.values() if _fits(run.row, where)]
        return sorted(rows, key=_recency, reverse=not where.oldest_first)[: max(limit, 0)]

    async def count_runs(self, where: RunFilter) -> int:
        whole = where._replace(before=None)
        return sum(_fits(run.row, whole) for run in self._store.view().runs.values())

    async def latest_runs(self, jobs: Collection[Name], each: int) -> dict[Name, list[RunRow]]:
        return {job: await self.list_runs(RunFilter(job=job), each) for job in jobs}

    # Generations

    async def claims(self, generations: Collection[tuple[Name, str]]) -> list[Claim]:
        wanted = set(generations)
        return [claim for claim in self._store.view().claims if (claim.dataset, claim.version) in wanted]

    async def claims_of_runs(self, runs: Collection[str]) -> list[Claim]:
        known = self._store.view().runs
        return [claim for run in dict.fromkeys(runs) if run in known for claim in known[run].claims]

    async def history(
        self, members: Sequence[Name], *, committed: bool, limit: int, before: tuple[str, str] | None = None
    ) -> list[Claim]:
        found = [claim for claim in self._of(members) if (claim.commit_time is not None) is committed]
        if committed and before is not None:
            found = [claim for claim in found if _commit_order(claim)[:2] < before]
        return sorted(found, key=_commit_order, reverse=True)[:limit]

    async def current(self, pins: Sequence[PinQuery]) -> list[Claim | None]:
        return [self._current(pin) for pin in pins]

    def _current(self, pin: PinQuery) -> Claim | None:
        ours = self._of(pin.members)
        own = {claim.version for claim in ours if claim.run == pin.run}
        at = pin.at or LATEST
        found = [each for each in ours if each.commit_time and each.commit_time <= at and each.version not in own]
        return max(found, key=_commit_order, default=None)

    async def next_commit(self, members: Sequence[Name], after: tuple[str, str], run: str) -> Claim | None:
        ours = [claim for claim in self._of(members) if claim.commit_time is not None and claim.run != run]
        return min((each for each in ours if _commit_order(each)[:2] > after), key=_commit_order, default=None)

    def _of(self, members: Collection[Name]) -> list[Claim]:
        return [claim for claim in self._store.view().claims if claim.dataset in set(members)]

    async def marks(self, generations: Collection[tuple[Name, str]]) -> list[Mark]:
        wanted = set(generations)
        return [mark for mark in self._store.view().marks if (mark.dataset, mark.version) in wanted]

    async def reads(self, queries: Sequence[ReadQuery], limit: int) -> list[list[Read]]:
        mentions = self._store.view().mentions
        return [
            [Read(io.run, io.dataset, io.version, io.side) for io, _ in filter(_asked(query), mentions)][:limit]
            for query in queries
        ]

    async def readers(self, query: ReadQuery, limit: int, after: tuple[str, str] | None = None) -> RunsPage:
        mentions = self._store.view().mentions
        found = sorted({(time, io.run) for io, time in filter(_asked(query), mentions) if time is not None})
        return RunsPage(len(found), tuple(each for each in found if after is None or each > after)[:limit])

    async def count_commits(self, members: Collection[Name], before: tuple[str, str]) -> int:
        return sum(claim.commit_time is not None and _commit_order(claim)[:2] < before for claim in self._of(members))

    # Wants

    async def wants(self, wants: Collection[str]) -> dict[str, WantFacts]:
        return wanting.wants(self._store.view(), wants)

    async def want_links(self, queries: Sequence[WantQuery], limit: int) -> list[WantLinks]:
        all_of = [(query, wanting.linked(self._store.view(), query)) for query in queries]
        return [WantLinks(len(ids), tuple(each for each in ids if each >= q.since)[:limit]) for q, ids in all_of]

    # Datasets and jobs

    async def links(self, datasets: Collection[Name]) -> list[Link]:
        return [link for link in self._store.view().links if link.a in datasets or link.b in datasets]

    async def carriers(self, datasets: Collection[Name]) -> set[Name]:
        symlinked = {link.a for link in self._store.view().links if link.renamed_at is None}
        return symlinked & set(datasets)

    async def listed(self, datasets: Collection[Name]) -> set[Name]:
        mentions = self._store.view().mentions
        return {io.dataset for io, _ in mentions if io.side is not Side.NAMED} & set(datasets)

    async def drops(self, datasets: Collection[Name]) -> list[Drop]:
        return [drop for drop in self._store.view().drops if drop.dataset in datasets]

    async def job_edges(self, jobs: Collection[Name], datasets: Collection[Name]) -> list[JobEdge]:
        return [edge for edge in self._store.view().job_edges if edge.job in jobs or edge.dataset in datasets]

    async def edge_jobs(self, datasets: Collection[Name]) -> set[Name]:
        named = {mention.io.run for mention in self._store.view().mentions if mention.io.dataset in datasets}
        return {job for run in named if (job := self._store.view().runs[run].row.job) is not None}

    async def job_edges_at(self, jobs: Collection[Name], at: str, max_runs: int) -> list[JobEdge]:
        view = self._store.view()
        rows = [run.row for run in view.runs.values() if run.row.first_time and run.row.first_time <= at]
        begun = {
            row.run
            for job in jobs
            for row in sorted((row for row in rows if row.job == job), key=_recency, reverse=True)[:max_runs]
        }
        return current_edges(view.runs[run] for run in begun)

    async def search(self, where: Search, limit: int, offset: int) -> tuple[int, list[Hit]]:
        view, text = self._store.view(), where.text.casefold()
        hits = [Hit("job", name, facts.last_time) for name, facts in view.jobs.items() if not facts.deleted]
        hits += [
            Hit("dataset", name, facts.last_time)
            for name, facts in view.datasets.items()
            if not facts.deleted and not is_reserved(name.namespace)
        ]
        found = [
            hit
            for hit in hits
            if text in hit.name.name.casefold()
            and hit.kind in where.kinds
            and where.namespace in (None, hit.name.namespace)
            and (where.since or "") <= hit.last_time < (where.before or LATEST)
        ]
        found.sort(key=lambda hit: (hit.name.name.casefold(), hit.name, hit.kind))
        if where.newest_first:
            found.sort(key=lambda hit: hit.last_time, reverse=True)
        return len(found), found[offset : offset + limit]

    async def seen_before(self, kind: Literal["job", "dataset"], times: Sequence[str]) -> list[int]:
        view = self._store.view()
        seen = [facts.first_time for facts in view.jobs.values()]
        if kind == "dataset":
            known = view.datasets.items()
            seen = [facts.first_time for name, facts in known if not is_reserved(name.namespace)]
        return [sum(first < time for first in seen) for time in times]

    async def datasets(self, names: Collection[Name]) -> dict[Name, DatasetFacts]:
        known = self._store.view().datasets
        return {name: known[name] for name in names if name in known}

    async def jobs(self, names: Collection[Name]) -> dict[Name, JobFacts]:
        known = self._store.view().jobs
        return {name: known[name] for name in names if name in known}

    async def list_jobs(self, namespace: str | None, limit: int, offset: int) -> tuple[int, list[Name]]:
        jobs = self._store.view().jobs
        found = sorted(name for name in jobs if namespace in (None, name.namespace) and not jobs[name].deleted)
        found.sort(key=lambda name: jobs[name].last_time, reverse=True)
        return len(found), found[offset : offset + limit]

    async def list_datasets(self, namespace: str | None, limit: int, offset: int) -> tuple[int, list[Name]]:
        known = self._store.view().datasets
        found = sorted(name for name in known if namespace in (None, name.namespace) and not known[name].deleted)
        return len(found), found[offset : offset + limit]

    async def namespaces(self) -> dict[str, tuple[str, str]]:
        view = self._store.view()
        found: dict[str, tuple[str, str]] = {}
        spans = [(name.namespace, facts.first_time, facts.last_time) for name, facts in view.jobs.items()]
        spans += [(name.namespace, facts.first_time, facts.last_time) for name, facts in view.datasets.items()]
        for namespace, first, last in spans:
            before = found.get(namespace, (first, last))
            found[namespace] = min(before[0], first), max(before[1], last)
        return found

    async def namespace_facts(self, names: Collection[str] | None = None) -> list[NamespaceFacts]:
        return catalog.namespace_facts(self._store.view(), names)

    async def span(self, namespace: str) -> tuple[str, str] | None:
        return catalog.spans(self._store.view()).get(namespace)

    async def sources(self) -> list[SourceFacts]:
        return catalog.sources(self._store.view())

    async def unpublished(self, datasets: Collection[Name]) -> set[Name]:
        return {claim.dataset for claim in self._store.view().claims if claim.commit_time is None} & set(datasets)

    # The whole

    async def counts(self) -> Mapping[str, int]:
        view = self._store.view()
        return {
            "events": len(self._store.kept),
            "eventsWithProblems": sum(bool(kept.problems) for kept in self._store.kept.values()),
            "runs": len(view.runs),
            "jobs": len(view.jobs),
            "datasets": len(view.datasets),
            "generations": len(view.claims),
        }

    async def base_lines(self) -> Iterable[bytes]:
        return base_lines(self._store.view().facts)


def _document(kept: Kept) -> Document:
    problems = tuple((problem.where, problem.message) for problem in kept.problems)
    return Document(kept.event.event_id, kept.event.raw, problems, kept.received_at)


def _matches(kept: Kept, where: EventFilter) -> bool:
    event = kept.event
    return (
        where.run in (None, event.run_id)
        and where.job in (None, event.job)
        and where.kind in (None, event.kind)
        and (where.namespace is None or (event.job is not None and event.job.namespace == where.namespace))
        and (where.since is None or event.event_time >= where.since)
        and (where.before is None or event.event_time < where.before)
    )


def _recency(row: RunRow) -> tuple[str, str]:
    return row.first_time or "", row.run


def _fits(row: RunRow, where: RunFilter) -> bool:
    return (
        where.job in (None, row.job)
        and where.state in (None, row.state)
        and where.parent in (None, row.parent)
        and where.logical_key in (None, row.logical_key)
        and (where.since is None or (row.first_time is not None and row.first_time >= where.since))
        and (where.before is None or _recency(row) < where.before)
    )


def _with_facets(facts: RunFacts, names: Collection[str]) -> RunFacts:
    return facts._replace(
        facets=_only(facts.facets, names),
        job_facets=_only(facts.job_facets, names),
        io_facets={about: left for about, facets in facts.io_facets.items() if (left := _only(facets, names))},
        output_facets=tuple(each for each in facts.output_facets if each.name in names),
    )


def _with_described(facts: RunFacts, names: Collection[str]) -> RunFacts:
    io_facets = {
        about: facets if about[0] not in (Scope.INPUT, Scope.OUTPUT) else _only(facets, names)
        for about, facets in facts.io_facets.items()
    }
    return facts._replace(
        io_facets={about: facets for about, facets in io_facets.items() if facets},
        output_facets=tuple(each for each in facts.output_facets if each.name in names),
    )


def _only(facets: Facets, names: Collection[str]) -> Facets:
    return {name: value for name, value in facets.items() if name in names}


def _commit_order(claim: Claim) -> tuple[str, str, str]:
    return claim.commit_time or "", claim.version, claim.run


def _asked(query: ReadQuery) -> Callable[[Mentioned], bool]:
    """Whether a mention is one that the query asks for."""
    members, since, until = set(query.members), query.since or "", query.until or LATEST

    def asked(mention: Mentioned) -> bool:
        io, pin_time = mention
        if io.dataset not in members or io.side is Side.OUTPUT:
            return False
        if io.version:
            return io.side is Side.INPUT and io.version == query.version
        return pin_time is not None and since <= pin_time <= until

    return asked
