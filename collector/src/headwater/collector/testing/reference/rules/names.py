"""Rules 10, 14 and 15: which names are one dataset, and what was said of its generations."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

from .events import Name, name_of
from .runs import Runs


class Word(NamedTuple):
    """Somebody's word on a generation: withdrawn or bad, or no longer so."""

    time: str
    event_id: str
    stands: bool


class Names(Runs):
    # Rule 10: identity

    def group(self, raw: Name) -> frozenset[Name]:
        """The names that symlinks join to this one."""
        pairs = [(name, other) for name, others in self.symlinks().items() for other in others]
        group = {raw}
        while True:
            more = {b for a, b in pairs if a in group} | {a for a, b in pairs if b in group}
            if more <= group:
                return frozenset(group)
            group |= more

    def symlinks(self) -> dict[Name, list[Name]]:
        """By name, the names of its latest symlinks facet."""
        said: dict[Name, dict[str, Any]] = {}
        for _, event in self.events:
            entries = (
                [event["dataset"]]
                if "dataset" in event
                else event["inputs"] + event["outputs"]
                if "run" in event
                else []
            )
            for entry in entries:
                if "symlinks" in entry.get("facets", {}):
                    said[name_of(entry)] = entry["facets"]["symlinks"]
        return {
            name: [name_of(other) for other in facet["identifiers"]]
            for name, facet in said.items()
            if not facet.get("_deleted")
        }

    def renames(self) -> dict[Name, Name]:
        """Old name to new name, the latest where there are several."""
        found = sorted((time, previous, raw) for raw, time, change, previous in self.changes() if change == "RENAME")
        return {previous: raw for _, previous, raw in found if previous}

    def canonical(self, raw: Name) -> Name:
        renamed = self.renames()
        while raw in renamed:
            raw = renamed[raw]
        group = self.group(raw)
        carriers = [name for name in group if name in self.symlinks()]
        return min(carriers) if carriers else raw

    def names_of(self, dataset: Name) -> list[Name]:
        return [raw for raw in self.raw_names() if self.canonical(raw) == dataset]

    def datasets(self) -> list[Name]:
        return sorted({self.canonical(raw) for raw in self.raw_names()})

    def changes(self) -> Iterator[tuple[Name, str, str, Name | None]]:
        """Lifecycle changes that happened: (name, time, change, previous name)."""
        for _, event in self.events:
            facet = event.get("dataset", {}).get("facets", {}).get("lifecycleStateChange")
            if facet:
                yield name_of(event["dataset"]), event["eventTime"], facet["lifecycleStateChange"], _previous(facet)
        for run in self.runs():
            for mention in self.mentions(run, "outputs"):
                facet = mention.facets.get("lifecycleStateChange")
                time = self.commit_time(run, [mention]) if facet else None
                if facet and time:
                    yield mention.raw, time, facet["lifecycleStateChange"], _previous(facet)

    # Rules 14 and 15: withdrawn and bad generations

    def words(self, kind: str, dataset: Name, version: str) -> list[Word]:
        """All that was said, in order."""
        found = []
        for key, event in self.events:
            for entry in [event["dataset"]] if "dataset" in event else event["inputs"] if "run" in event else []:
                facet = entry.get("facets", {}).get({"withdrawn": "headwater_withdrawal", "bad": "headwater_bad"}[kind])
                about = facet and version in facet["generations"] and self.canonical(name_of(entry)) == dataset
                if about and self.then(event["eventTime"]):
                    found.append(Word(event["eventTime"], key, facet.get(kind, True)))
        return found

    def last(self, kind: str, dataset: Name, version: str, at: str | None = None) -> Word | None:
        said = [word for word in self.words(kind, dataset, version) if at is None or word.time <= at]
        return said[-1] if said else None

    def holds(self, kind: str, dataset: Name, version: str, at: str | None = None) -> bool:
        word = self.last(kind, dataset, version, at)
        return word is not None and word.stands


def _previous(facet: dict[str, Any]) -> Name | None:
    return name_of(facet["previousIdentifier"]) if "previousIdentifier" in facet else None
