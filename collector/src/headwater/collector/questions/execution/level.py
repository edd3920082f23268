"""Some wants at once: one fetch of each kind for all of them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

from headwater.collector.questions.execution.attempts import Entries, Entry, entries_of
from headwater.collector.questions.execution.heads import JOB_RUN_FACETS, head_json
from headwater.collector.questions.execution.instances import by_run, claim_json
from headwater.collector.questions.execution.pages import MAX_WITHIN, Cursor, beginning, of_list, page_json, sliced
from headwater.collector.questions.lookup import Lookup
from headwater.collector.questions.shapes import Json, name_json, time_json
from headwater.collector.stores.reading import Claim, LinkKind, PinQuery, RunFacts, WantFacts, WantLinks, WantQuery
from headwater.shared.event import Name

_LINKED: Final[dict[str, LinkKind]] = {"spawnedBy": "spawners", "derivativeWants": "derived"}


class Level:
    """Makes one JSON object for each want, its lists at most ``limit`` long."""

    def __init__(self, lookup: Lookup, wants: Sequence[str], limit: int, cursor: Cursor | None) -> None:
        self._lookup, self._wants, self._limit, self._cursor = lookup, wants, limit, cursor
        self._known: dict[str, WantFacts] = {}
        self._links: dict[tuple[str, str], WantLinks] = {}
        self._served: dict[str, Entries] = {}
        self._runs: dict[str, RunFacts] = {}
        self._written: dict[str, list[Claim]] = {}
        self._instances: dict[tuple[str, Name], Json] = {}

    async def nodes(self) -> dict[str, Json]:
        """Of the wants that somebody named."""
        if not self._wants:
            return {}
        await self._fetch_links()
        await self._fetch_runs()
        await self._fetch_instances()
        return {want: self._node(want) for want in self._wants if self._is_named(want)}

    def _at(self, name: str) -> Cursor:
        return of_list(self._cursor, name)

    async def _fetch_links(self) -> None:
        reader = self._lookup.reader
        asked = [(want, name) for want in self._wants for name in _LINKED]
        queries = [WantQuery(_LINKED[name], want, self._at(name).position) for want, name in asked]
        self._links = dict(zip(asked, await reader.want_links(queries, self._limit + 1), strict=True))
        derived = {each for (_, name), links in self._links.items() if name == "derivativeWants" for each in links.ids}
        self._known = await reader.wants({*self._wants, *derived})

    async def _fetch_runs(self) -> None:
        position = self._at("jobRuns").position
        self._served = await entries_of(self._lookup, dict.fromkeys(self._wants, position), self._limit)
        shown = {run for served in self._served.values() for each in served.entries for run in _told(each)}
        spawners = {run for want in self._wants for run in self._links[want, "spawnedBy"].ids}
        self._runs = await self._lookup.runs(shown | spawners, facets=JOB_RUN_FACETS) if shown | spawners else {}
        self._written = by_run(self._lookup, await self._lookup.claims_of_runs(sorted(shown)) if shown else [])

    async def _fetch_instances(self) -> None:
        """For each partition on the page the current instance; where that was not made for the want, the last one that
        the job runs shown committed; where there is none, the current one all the same."""
        lookup, start = self._lookup, self._at("partitions").shown
        wanted = [
            (want, name)
            for want in self._wants
            if want in self._known
            for name in self._known[want].partitions[start : start + self._limit]
        ]
        await lookup.identify(name for _, name in wanted)
        names = sorted({lookup.identity.of(name) for _, name in wanted})
        claims = await lookup.current([PinQuery(lookup.identity.members(name), None, None) for name in names])
        current = {name: claim for name, claim in zip(names, claims, strict=True) if claim is not None}
        pairs = sorted({(want, claim.run) for want, name in wanted if (claim := current.get(lookup.identity.of(name)))})
        queries = [WantQuery("runs", want, run) for want, run in pairs]
        found = await lookup.reader.want_links(queries, 1) if queries else []
        serving = {pair for pair, links in zip(pairs, found, strict=True) if links.ids == (pair[1],)}
        for want, name in wanted:
            claim = current.get(lookup.identity.of(name))
            served = claim is not None and (want, claim.run) in serving
            if not served and (made := self._made(want, lookup.identity.of(name))):
                claim, served = made, True
            if claim is not None:
                self._instances[want, name] = {**claim_json(lookup, claim), "forThisWant": served}

    def _made(self, want: str, name: Name) -> Claim | None:
        claims = [
            claim
            for entry in self._served[want].entries
            for run in sorted(_told(entry))
            for claim in self._written.get(run, ())
            if claim.commit_time and self._lookup.identity.of(claim.dataset) == name
        ]
        return max(claims, key=lambda claim: (claim.commit_time or "", claim.version, claim.run), default=None)

    def _is_named(self, want: str) -> bool:
        return want in self._known or bool(self._served[want].total or self._links[want, "spawnedBy"].total)

    def _node(self, want: str) -> Json:
        said, served = self._known.get(want), self._served[want]
        return {
            "id": want,
            "expanded": True,
            "comment": said and said.comment,
            "said": time_json(said and said.time),
            "spawnedBy": self._linked(want, "spawnedBy", self._spawner),
            "partitions": sliced(
                said.partitions if said else (), self._limit, self._at("partitions"),
                lambda name: {**name_json(name), "instance": self._instances.get((want, name))},
            ),
            "jobRuns": page_json(
                [self._entry(each) for each in served.entries], served.total, self._at("jobRuns"),
                sum(len(each.runs) for each in served.entries), served.following,
            ),
            "derivativeWants": self._linked(want, "derivativeWants", self._stub),
        }  # fmt: skip

    def _linked(self, want: str, name: str, shape: Callable[[str], Json]) -> Json:
        links = self._links[want, name]
        shown, following = links.ids[: self._limit], links.ids[self._limit :]
        items = [shape(each) for each in shown]
        return page_json(items, links.total, self._at(name), len(shown), following[0] if following else None)

    def _spawner(self, run: str) -> Json:
        return head_json(self._runs[run]) if run in self._runs else {"runId": run}

    def _stub(self, want: str) -> Json:
        return {"id": want, "expanded": False, "comment": self._known[want].comment if want in self._known else None}

    def _entry(self, entry: Entry) -> Json:
        numbers = dict(zip(entry.runs, entry.numbers, strict=True))
        told = {run: self._attempt(run, numbers[run]) for run in _told(entry) if run in self._runs}
        attempts = [told[run] for run in entry.runs[:MAX_WITHIN] if run in told]
        chosen = told.get(entry.chosen, {})
        return {
            "logicalKey": entry.key,
            "runId": entry.chosen,
            **{name: chosen.get(name) for name in ("job", "status", "built")},
            "attempts": beginning(attempts, self._limit, dict, total=len(entry.runs)),
        }

    def _attempt(self, run: str, number: int | None) -> Json:
        written = self._written.get(run, ())
        built = beginning(written, self._limit, lambda claim: claim_json(self._lookup, claim))
        return {**head_json(self._runs[run]), "attempt": number, "built": built}


def _told(entry: Entry) -> set[str]:
    """The runs of an entry that an answer has something of."""
    return {*entry.runs[:MAX_WITHIN], entry.chosen}
