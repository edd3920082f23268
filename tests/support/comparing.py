"""Two readers of the same events give the same answers to every kind of fetch."""

from __future__ import annotations

import asyncio
import itertools
from typing import Any

from headwater.collector.questions.fingerprint import fingerprint_of
from headwater.collector.stores.graph import Neo4jLineageStore
from headwater.collector.stores.reading import GraphReader, PinQuery, ReadQuery, RunFilter
from headwater.shared.event import Name


async def fingerprint(graph: Neo4jLineageStore) -> str:
    lines = await graph.graph_reader().base_lines()
    return await asyncio.to_thread(fingerprint_of, lines)


async def compare(ours: GraphReader, theirs: GraphReader) -> None:
    """Every kind of fetch, on all that there is."""
    runs = [row.run for row in await theirs.list_runs(RunFilter(), 10_000)]
    _, jobs = await theirs.list_jobs(None, 10_000, 0)
    _, datasets = await theirs.list_datasets(None, 10_000, 0)
    names = [*datasets, Name("db", "nobody"), Name("hive", "a"), Name("db", "old")]

    async def same(fetch: str, *args: Any, **more: Any) -> None:
        found = [await getattr(reader, fetch)(*args, **more) for reader in (ours, theirs)]
        assert _plain(found[0]) == _plain(found[1]), (fetch, args)

    await same("runs", runs)
    await same("runs", runs, io=False, facets=["parent"])
    await same("runs", runs, io=True, facets=["nothing"])
    await same("run_rows", runs)
    await same("latest_runs", jobs, 3)
    await same("claims_of_runs", runs)
    claims = await theirs.claims_of_runs(runs)
    await same("claims", {(claim.dataset, claim.version) for claim in claims})
    for fetch in ("carriers", "listed", "drops", "datasets"):
        await same(fetch, names)
    await same("jobs", jobs)
    await same("job_edges", jobs, [])
    await same("job_edges", [], names)
    await same("namespaces")
    for namespace in (None, "db", "jobs", "nobody"):
        await same("list_jobs", namespace, 5, 1)
        await same("list_datasets", namespace, 5, 1)
    for where in _filters(runs, jobs):
        await same("count_runs", where)
        await same("list_runs", where, 7)
    for name in names:
        for committed in (True, False):
            await same("history", [name], committed=committed, limit=3)
        await same("history", names, committed=True, limit=4, before=("2026-01-03T00:00:00.000000000Z", "2"))
        await same("next_commit", [name], ("2026-01-02T00:00:00.000000000Z", "1"), runs[0])
    times = [None, *(claim.commit_time for claim in claims[:1])]
    pins = [PinQuery((name,), at, run) for name in names for run in (None, runs[0]) for at in times]
    await same("current", pins)
    since = "2026-01-02T00:00:00.000000000Z"
    queries = [
        ReadQuery((name,), version, *window)
        for name in names
        for version in ("", "1")
        for window in ((None, None), (since, None), (None, since))
    ]
    await same("reads", queries, 10_000)


def _filters(runs: list[str], jobs: list[Name]) -> list[RunFilter]:
    cursor = ("2026-01-03T00:00:00.000000000Z", runs[len(runs) // 2])
    base = [
        RunFilter(),
        RunFilter(job=jobs[0]),
        RunFilter(state="COMPLETED"),
        RunFilter(job=jobs[0], state="FAILED"),
        RunFilter(since="2026-01-04T00:00:00.000000000Z"),
        RunFilter(logical_key="k"),
        RunFilter(before=("", runs[0])),
        *(RunFilter(parent=run) for run in runs[:5]),
    ]
    later = [where._replace(before=cursor) for where in base]
    return [
        where._replace(oldest_first=oldest)
        for where, oldest in itertools.product((*base, *later), (False, True))
        if not (oldest and where.before)
    ]


def _plain(value: Any) -> Any:
    """With what has no order in the contract sorted."""
    if isinstance(value, dict):
        return {key: _plain(item) for key, item in value.items()}
    if hasattr(value, "_asdict"):
        fields = value._asdict()
        return (type(value).__name__, *(_plain(item) for item in fields.values()))
    if isinstance(value, list | tuple):
        items = [_plain(item) for item in value]
        return sorted(items, key=repr) if items and isinstance(items[0], tuple | list) else items
    return value
