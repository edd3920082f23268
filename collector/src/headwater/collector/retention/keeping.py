"""Which runs must stay, whatever their age.

A run is kept while one of these holds:

- ``recent``: its last event is younger than the policy's age, or it has not ended;
- ``current``: it committed what is the current generation of a dataset;
- ``evidence``: the evidence of a kept run depends on it: it made a generation that a kept run read, it is an attempt at
  the same logical run, or it is the parent or root of a kept run; and so on;
- ``edges``: a current edge of its job comes from it (rule 8);
- ``words``: it says what outlives it: that a dataset was renamed or dropped, or has another name. Of equal statements,
  which a job makes with each run, the newest is enough. A word on a generation (withdrawn, bad) is evidence.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from typing import Any, Final

from headwater.collector.derive.edges import inputs_of
from headwater.collector.facts import Side
from headwater.collector.maintenance.reconciling import Progress
from headwater.collector.questions.lookup import WALK_FACETS, Lookup
from headwater.collector.retention.scratch import Scratch
from headwater.collector.stores.reading import PinQuery, Reader, ReadQuery, RunFilter, RunRow
from headwater.shared.codec import decode
from headwater.shared.errors import InvalidEventError
from headwater.shared.event import Name

_PAGE: Final = 500
_WALKED: Final = 200
_WORDS: Final = frozenset({"symlinks", "lifecycleStateChange"})
_LISTERS: Final = 20
_NOT_ENDED: Final = frozenset({"NEW", "RUNNING"})


class Keeping:
    """Finds out once, over everything that the store holds; memory does not grow with it."""

    def __init__(self, reader: Reader, scratch: Scratch, cutoff: str, progress: Progress | None = None) -> None:
        """``cutoff``: canonical; runs whose last event is earlier are old."""
        self._reader, self._scratch, self._cutoff = reader, scratch, cutoff
        self._progress: Progress = progress if progress is not None else lambda *_: None

    async def run(self) -> None:
        """Raises TransientError."""
        await self.enumerate()
        await self._keep_current()
        await self._keep_evidence()
        await self._keep_edges()
        await self._keep_words()
        await self._keep_evidence()  # of those, too: what they made may be current once something else is gone

    async def enumerate(self) -> None:
        """Only tells old runs from recent ones."""
        before: tuple[str, str] | None = None
        count = 0
        while rows := await self._reader.list_runs(RunFilter(before=before), _PAGE):
            self._scratch.add((row, self._is_recent(row)) for row in rows)
            before = rows[-1].first_time or "", rows[-1].run
            count += len(rows)
            self._progress("look at runs", count, None)

    def _is_recent(self, row: RunRow) -> bool:
        return row.state in _NOT_ENDED or row.last_time is None or row.last_time >= self._cutoff

    async def _keep_current(self) -> None:
        offset = 0
        while True:
            _, names = await self._reader.list_datasets(None, _PAGE, offset)
            if not names:
                return
            offset += len(names)
            lookup = Lookup(self._reader)
            await lookup.identify(names)
            canonical = sorted({lookup.identity.of(name) for name in names})
            claims = await lookup.current([PinQuery(lookup.identity.members(name), None, None) for name in canonical])
            current = {
                (name, claim.version) for name, claim in zip(canonical, claims, strict=True) if claim is not None
            }
            self._scratch.keep(await _makers(lookup, current), "current")

    async def _keep_evidence(self) -> None:
        """From kept runs back along what they read, a page of runs at a time."""
        walked = 0
        while runs := self._scratch.unwalked(_WALKED):
            lookup = Lookup(self._reader)
            self._scratch.keep(await _sources(lookup, runs), "evidence")
            self._scratch.keep_relatives(runs, "evidence")
            walked += len(runs)
            self._progress("follow evidence", walked, None)

    async def _keep_edges(self) -> None:
        for page in self._scratch.old_by_job(_PAGE):
            edges = await self._reader.job_edges({row.job for row in page}, ())
            times = {(edge.job, edge.last_time) for edge in edges}
            self._scratch.keep((row.run for row in page if (row.job, row.first_time) in times), "edges")

    async def _keep_words(self) -> None:
        for page in self._scratch.newest_old(_PAGE):
            for run in (await self._reader.runs(page, facets=_WORDS)).values():
                said = [
                    f"{name[0]}\0{name[1]}\0{word}\0{run.run if _renames(facets[word]) else ''}"
                    for (_, name, _), facets in run.io_facets.items()
                    for word in facets.keys() & _WORDS
                ]
                if said and self._scratch.is_news(said):
                    self._scratch.keep([run.run], "words")

    def removable(self, size: int) -> Iterator[list[str]]:
        """The others, ``size`` at a time, oldest first."""
        return self._scratch.removable(size)


async def _sources(lookup: Lookup, runs: Collection[str]) -> set[str]:
    """The runs that made what these read, by whatever grade."""
    facts = await lookup.runs(runs, facets=WALK_FACETS)
    wanted = [(run, name, version) for run in facts.values() for name, version in inputs_of(run, lookup.identity)]
    pins = list((await lookup.pins(wanted)).values())
    wrote = await lookup.claims_of_runs(runs)
    edges = await lookup.edges(wrote, facts)
    pins += [edge.pin for found in edges.values() for edge in found]
    read = {(pin.dataset, pin.version) for pin in pins if pin.version is not None}
    listed = {name for _, name, _ in wanted}
    named = {pin.dataset for pin in pins if pin.version is None} - listed
    written = {(lookup.identity.of(claim.dataset), claim.version) for claim in wrote}  # a conflict must stay one
    made = await _makers(lookup, read | written)
    return made | await _listers(lookup, named) | await _markers(lookup, read | written)


def _renames(facet: Any) -> bool:
    return isinstance(facet, dict) and facet.get("lifecycleStateChange") == "RENAME"


async def _makers(lookup: Lookup, generations: Iterable[tuple[Name, str]]) -> set[str]:
    return {claim.run for claim in await lookup.claims(list(generations))}


async def _markers(lookup: Lookup, generations: Iterable[tuple[Name, str]]) -> set[str]:
    """The runs whose events withdrew one of these or called it bad, or took that back."""
    members = [(member, version) for name, version in generations for member in lookup.identity.members(name)]
    events = {mark.event_id for mark in await lookup.reader.marks(members)} if members else set()
    runs = set()
    for event_id in sorted(events):
        document = await lookup.reader.document(event_id)
        if document is not None and (run := _run_of(document.raw)):
            runs.add(run)
    return runs


def _run_of(raw: bytes) -> str | None:
    try:
        return decode(raw).run_id
    except InvalidEventError:
        return None  # somebody altered it; an audit is for that


async def _listers(lookup: Lookup, datasets: Iterable[Name]) -> set[str]:
    """Of each dataset some run that lists it as an input: a source that only a lineage facet names counts if any does
    (rule 7)."""
    queries = [ReadQuery(lookup.identity.members(name), "", None, None) for name in sorted({*datasets})]
    found = await lookup.reader.reads(queries, _LISTERS)
    return {next((read.run for read in reads if read.side is Side.INPUT), "") for reads in found}
