"""The job runs that serve wants, retries collapsed: attempts at one logical run are one entry."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Final, NamedTuple

from headwater.collector.questions.lookup import Lookup
from headwater.collector.questions.whole import together
from headwater.collector.stores.reading import RunRow, WantQuery

MAX_ROUNDS: Final = 10
"""Fetches of one page: runs whose entry is on an earlier page are passed over."""
_AT_ONCE: Final = 16


class Entry(NamedTuple):
    """One piece of work that serves a want; ``runs``: its attempts that do, by first event time."""

    key: str | None
    runs: tuple[str, ...]
    numbers: tuple[int | None, ...]
    """Of each, its number among all attempts at the logical run."""
    chosen: str
    """The one that succeeded last, else the last one."""


class Entries(NamedTuple):
    """A page in the order of run ids; each entry is where its least run is, so all pages together have each once."""

    entries: tuple[Entry, ...]
    total: int
    """Runs that serve the want."""
    following: str | None
    """The run at which the next page begins."""


async def entries_of(lookup: Lookup, starts: Mapping[str, str], limit: int) -> dict[str, Entries]:
    """A page for each want, from the run at which it starts (``""``: the first)."""
    found = {want: Entries((), 0, since) for want, since in starts.items()}
    for _ in range(MAX_ROUNDS):
        active = [want for want, page in found.items() if page.following is not None and len(page.entries) < limit]
        if not active:
            break
        queries = [WantQuery("runs", want, found[want].following or "") for want in active]
        links = dict(zip(active, await lookup.reader.want_links(queries, limit + 1), strict=True))
        runs = {run for each in links.values() for run in each.ids[:limit]}
        rows = await lookup.reader.run_rows(sorted(runs))
        groups = await _groups(lookup, [(want, rows[run]) for want in active for run in links[want].ids if run in rows])
        for want, (total, ids) in links.items():
            following = ids[limit] if len(ids) > limit else None
            found[want] = _filled(Entries(found[want].entries, total, following), want, ids[:limit], groups, limit)
    return found


def _filled(
    page: Entries, want: str, runs: Iterable[str], groups: Mapping[tuple[str, str], Entry], limit: int
) -> Entries:
    """The page with the entries whose least run is among these."""
    entries = list(page.entries)
    for run in runs:
        entry = groups.get((want, run))
        if entry is not None and min(entry.runs) == run:
            if len(entries) == limit:
                return page._replace(entries=tuple(entries), following=run)
            entries.append(entry)
    return page._replace(entries=tuple(entries))


async def _groups(lookup: Lookup, serving: list[tuple[str, RunRow]]) -> dict[tuple[str, str], Entry]:
    """Each (want, run) to its entry."""
    keys = sorted({row.logical_key for _, row in serving if row.logical_key is not None})
    for start in range(0, len(keys), _AT_ONCE):
        await together(*(lookup.attempts(key) for key in keys[start : start + _AT_ONCE]))
    attempts = {key: await lookup.attempts(key) for key in keys}
    known = {(want, row.run) for want, row in serving}
    asked = sorted({(want, run) for want, row in serving for run in _runs(attempts, row)} - known)
    found = await lookup.reader.want_links([WantQuery("runs", *pair) for pair in asked], 1) if asked else []
    known |= {pair for pair, links in zip(asked, found, strict=True) if links.ids == (pair[1],)}
    entries: dict[tuple[str, str], Entry] = {}
    for want, row in serving:
        if row.run not in _runs(attempts, row):  # no logical run, or more attempts than are looked at
            entries[want, row.run] = Entry(row.logical_key, (row.run,), (None,), row.run)
            continue
        tried = attempts[row.logical_key or ""]
        mine = [(each, number) for number, each in enumerate(tried, 1) if (want, each.run) in known]
        done = [each.run for each, _ in mine if each.state == "COMPLETED"]
        runs, numbers = tuple(each.run for each, _ in mine), tuple(number for _, number in mine)
        entries[want, row.run] = Entry(row.logical_key, runs, numbers, (done or runs)[-1])
    return entries


def _runs(attempts: Mapping[str, Sequence[RunRow]], row: RunRow) -> list[str]:
    """All attempts at the run's piece of work."""
    return [each.run for each in attempts.get(row.logical_key or "", ())]
