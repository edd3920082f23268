"""What a store's readers say beside what the reference says; each difference is a line."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

from headwater.collector.stores.auditing import EventIds
from headwater.collector.stores.reading import (
    DocumentReader,
    EventFilter,
    GraphReader,
    LinkKind,
    PinQuery,
    ReadQuery,
    RunFilter,
    Search,
    WantQuery,
)
from headwater.collector.testing.conformance.events import projected
from headwater.shared.event import Name

_PAGE = 250
_ALL = 100_000
_OF_RUN: Final[tuple[LinkKind, ...]] = ("wants", "spawned")
_OF_WANT: Final[tuple[LinkKind, ...]] = ("runs", "spawners", "derived")
NO_WANT: Final = "00000000-0000-0000-0000-000000000000"
_ORDERED = frozenset({"list_runs", "latest_runs", "history", "list_jobs", "list_datasets", "seen_before", "want_links"})
"""Fetches whose answers have an order; of the others only the content counts."""


def shown(value: object) -> str:
    """At most some 400 characters, with both ends."""
    text = repr(value)
    return text if len(text) <= 400 else f"{text[:250]} … {text[-100:]} ({len(text)} characters)"


def spelt(events: Iterable[bytes]) -> dict[str, set[bytes]]:
    """Event id -> its spellings. A store keeps one of them whole."""
    found: dict[str, set[bytes]] = {}
    for raw in events:
        found.setdefault(projected(raw).event.event_id, set()).add(raw)
    return found


async def document_differences(reader: DocumentReader, events: Sequence[bytes]) -> list[str]:
    """Exactly these events are kept, each once, byte for byte, and the reader counts them right."""
    wanted = spelt(events)
    listed: list[tuple[str, bytes]] = []
    while page := await reader.list_documents(EventFilter(), _PAGE, len(listed)):
        listed += [(document.event_id, document.raw) for document in page]
        if len(listed) > 2 * len(wanted) + _PAGE:
            break
    kept: dict[str, list[bytes]] = {}
    for key, raw in listed:
        kept.setdefault(key, []).append(raw)
    wrong = [f"event {key} is listed {len(found)} times" for key, found in kept.items() if len(found) > 1]
    wrong += [f"event {key} is listed and was never written" for key in kept.keys() - wanted.keys()]
    for key, raws in wanted.items():
        found = kept.get(key, [])
        wrong += [] if found else [f"event {key} is lost: {shown(min(raws))}"]
        wrong += [f"event {key}: is {shown(r)}, was written as {shown(min(raws))}" for r in found if r not in raws]
    for what, count in (
        ("count_documents", await reader.count_documents(EventFilter())),
        ("counts()['events']", (await reader.counts())["events"]),
    ):
        wrong += [] if count == len(wanted) else [f"{what}: is {count}, must be {len(wanted)}"]
    if isinstance(reader, EventIds):
        ids = sorted([event_id async for event_id in reader.event_ids()])
        wrong += [] if ids == sorted(wanted) else [f"event_ids: is {shown(ids)}, must be {shown(sorted(wanted))}"]
    return wrong


async def base_differences(ours: GraphReader, theirs: GraphReader) -> list[str]:
    """Base facts that only one of the two has: what the fingerprint hashes, before it is hashed."""
    mine, reference = Counter(await ours.base_lines()), Counter(await theirs.base_lines())
    wrong = [f"fact lost: {shown(line)}" for line in sorted(reference - mine)]
    return wrong + [f"fact wrong or said twice: {shown(line)}" for line in sorted(mine - reference)]


async def fetch_differences(ours: GraphReader, theirs: GraphReader) -> list[str]:
    """Every kind of fetch, on all that there is."""
    wrong = []
    for fetch, arguments, more in await _questions(theirs):
        mine, reference = [
            _comparable(fetch, arguments, await getattr(reader, fetch)(*arguments, **more)) for reader in (ours, theirs)
        ]
        if mine != reference:
            said = ", ".join([*map(shown, arguments), *(f"{key}={value!r}" for key, value in more.items())])
            wrong.append(f"{fetch}({said}): is {shown(mine)}, must be {shown(reference)}")
    mine_counts, counts = await ours.counts(), await theirs.counts()
    wrong += [
        f"counts: {key} is {mine_counts.get(key)}, must be {counts[key]}"
        for key in ("runs", "jobs", "datasets", "generations")
        if mine_counts.get(key) != counts[key]
    ]
    return wrong


def _comparable(fetch: str, arguments: tuple[Any, ...], answer: Any) -> Any:
    if fetch == "history" and len(arguments[0]) > 1:  # equal times and versions of several datasets have no order
        answer = [(claim.commit_time, claim.version) for claim in answer]
    if fetch == "namespace_facts":  # what came first is declared to depend on the order of arrival
        answer = [facts._replace(arrived_time="") for facts in answer]
    if fetch == "search":  # by time or by name, whatever the case; equal ones have no order
        total, hits = answer
        order = [hit.last_time if arguments[0].newest_first else hit.name.name.casefold() for hit in hits]
        return total, order, sorted(map(repr, hits))
    return plain(answer, ordered=fetch in _ORDERED)


Question = tuple[str, tuple[Any, ...], Mapping[str, Any]]
"""(fetch, arguments, keyword arguments)."""


async def _questions(reader: GraphReader) -> list[Question]:
    """About all that the reference knows, and about some things that it does not."""
    runs = [row.run for row in await reader.list_runs(RunFilter(), _ALL)]
    _, jobs = await reader.list_jobs(None, _ALL, 0)
    _, datasets = await reader.list_datasets(None, _ALL, 0)
    links = await reader.links(datasets)
    linked = {name for link in links for name in (link.a, link.b)}
    names = sorted({*datasets, *linked, Name("nobody", "nothing")})
    claims = await reader.claims_of_runs(runs)
    times = sorted({claim.commit_time for claim in claims if claim.commit_time})
    namespaces = [None, "nobody", *sorted(await reader.namespaces())]
    asked: list[Question] = [
        ("runs", (runs,), {}),
        ("runs", (runs,), {"io": False, "facets": ["parent"]}),
        ("runs", (runs,), {"facets": ["nothing"]}),
        ("runs", (runs,), {"described": ["lineage", "schema"]}),
        ("runs", (runs,), {"facets": ["schema"], "described": []}),
        ("run_rows", (runs,), {}),
        ("latest_runs", (jobs, 3), {}),
        ("claims_of_runs", (runs,), {}),
        ("claims", ({(claim.dataset, claim.version) for claim in claims} | {(names[0], "no such")},), {}),
        ("marks", ({(claim.dataset, claim.version) for claim in claims} | {(names[0], "no such")},), {}),
        *((fetch, (names,), {}) for fetch in ("carriers", "listed", "drops", "datasets", "links")),
        ("jobs", (jobs,), {}),
        ("job_edges", (jobs, []), {}),
        ("job_edges", ([], names), {}),
        ("namespaces", (), {}),
        *((fetch, (names,), {}) for fetch in ("edge_jobs", "unpublished")),
        *(("job_edges_at", (jobs, time, most), {}) for time in times[::4] for most in (2, 100)),
        *(("seen_before", (kind, times[::3]), {}) for kind in ("job", "dataset")),
        *(("search", (where, 1000, 0), {}) for where in _searches(times)),
        ("namespace_facts", (), {}),
        ("namespace_facts", (["db", "nobody"],), {}),
        *(("span", (namespace,), {}) for namespace in ("db", "nobody")),
        ("sources", (), {}),
        *((fetch, (each, 5, 1), {}) for fetch in ("list_jobs", "list_datasets") for each in namespaces),
    ]
    for where in _run_filters(runs, jobs):
        asked += [("count_runs", (where,), {}), ("list_runs", (where, 7), {})]
    for members in [[name] for name in names] + [names]:
        asked += [("history", (members,), {"committed": committed, "limit": 3}) for committed in (True, False)]
        for time in times[::3]:
            asked.append(("history", (members,), {"committed": True, "limit": 3, "before": (time, "2")}))
            asked.append(("next_commit", (members, (time, "1"), runs[0]), {}))
    pins = [PinQuery((name,), at, run) for name in names for run in (None, runs[0]) for at in (None, *times[::4])]
    windows = [(None, None), *((time, None) for time in times[1:2]), *((None, time) for time in times[-2:-1])]
    reads = [ReadQuery((name,), version, *window) for name in names for version in ("", "1") for window in windows]
    cursors = [None, *((time, runs[0]) for time in times[1:2])]
    asked += [("readers", (query, 3), {"after": after}) for query in reads for after in cursors]
    asked += [("count_commits", ([name], (time, "2")), {}) for name in names for time in times[::3]]
    asked += await _wants(reader, runs)
    return [*asked, ("current", (pins,), {}), ("reads", (reads, _ALL), {})]


async def _wants(reader: GraphReader, runs: Sequence[str]) -> list[Question]:
    """From the wants of these runs to all that is tied to them."""
    of_runs = [WantQuery(kind, run) for run in runs for kind in _OF_RUN]
    wants = sorted({want for links in await reader.want_links(of_runs, _ALL) for want in links.ids})
    if not wants:
        return []
    of_wants = [WantQuery(kind, want) for want in wants for kind in _OF_WANT]
    later = [query._replace(since=wants[len(wants) // 2]) for query in of_runs]
    later += [query._replace(since=runs[len(runs) // 2]) for query in of_wants if query.kind != "derived"]
    links: list[Question] = [
        ("want_links", (queries, most), {}) for queries in (of_runs, of_wants, later) for most in (2, _ALL)
    ]
    return [*links, ("wants", ([*wants, NO_WANT],), {}), ("want_links", ([WantQuery("runs", NO_WANT)], 2), {})]


def _searches(times: Sequence[str]) -> list[Search]:
    return [
        Search(""),
        Search("J"),
        Search("b", kinds=("dataset",)),
        Search("ALI", newest_first=True),
        Search("", namespace="db", since=times[0] if times else None),
        Search("", before=times[-1] if times else None, newest_first=True),
        Search("%"),
    ]


def _run_filters(runs: Sequence[str], jobs: Sequence[Name]) -> list[RunFilter]:
    base = [
        RunFilter(),
        RunFilter(job=jobs[0]),
        RunFilter(state="COMPLETED"),
        RunFilter(job=jobs[0], state="FAILED"),
        RunFilter(since="2026-01-04T00:00:00.000000000Z"),
        RunFilter(logical_key="k"),
        *(RunFilter(parent=run) for run in runs[:5]),
    ]
    cursors = [("2026-01-03T00:00:00.000000000Z", runs[len(runs) // 2]), ("", runs[0])]
    later = [where._replace(before=cursor) for where, cursor in itertools.product(base, cursors)]
    return [*base, *later, *(where._replace(oldest_first=True) for where in base)]


def plain(value: Any, *, ordered: bool) -> Any:
    """Comparable by ``==``, with what has no order sorted."""
    if isinstance(value, Mapping):
        return {key: plain(item, ordered=ordered) for key, item in value.items()}
    if hasattr(value, "_asdict"):
        return (type(value).__name__, *(plain(item, ordered=False) for item in value))
    if isinstance(value, list | tuple | set):
        items = [plain(item, ordered=ordered) for item in value]
        sortable = not ordered and bool(items) and isinstance(items[0], tuple | list)
        return sorted(items, key=repr) if sortable or isinstance(value, set) else items
    return value
