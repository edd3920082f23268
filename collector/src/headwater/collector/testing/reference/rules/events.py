"""What the events mention, in the order of their times."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

Event = dict[str, Any]
Name = tuple[str, str]
Generation = tuple[Name, str | None]


class Mention(NamedTuple):
    """One entry of a run event's inputs or outputs."""

    event_id: str
    time: str
    raw: Name
    version: str | None
    facets: dict[str, Any]
    own: dict[str, Any]


class Events:
    """A set of events; ``at``: what holds at that time only (rule 17)."""

    def __init__(self, events: Iterable[tuple[str, Event]], at: str | None = None) -> None:
        self.at = at
        self.events = sorted(dict(events).items(), key=lambda said: (said[1]["eventTime"], said[0]))

    def then(self, time: str | None) -> bool:
        """Whether something of this time counts."""
        return time is not None and (self.at is None or time <= self.at)

    def run_events(self, run: str) -> list[tuple[str, Event]]:
        """Its own: that it fell silent is somebody else's word."""
        return [
            (key, event)
            for key, event in self.events
            if event.get("run", {}).get("runId") == run and not silence_in(event)
        ]

    def runs(self) -> list[str]:
        """Runs with events of their own."""
        return sorted({event["run"]["runId"] for _, event in self.events if "run" in event})

    def jobs(self) -> list[Name]:
        return sorted({name_of(event["job"]) for _, event in self.events if "run" in event})

    def mentions(self, run: str, side: str) -> list[Mention]:
        found = []
        for key, event in self.run_events(run):
            for entry in event[side]:
                facets = entry.get("facets", {})
                version = facets.get("version", {}).get("datasetVersion")
                own = entry.get("inputFacets" if side == "inputs" else "outputFacets", {})
                found.append(Mention(key, event["eventTime"], name_of(entry), version, facets, own))
        return found

    def raw_names(self) -> list[Name]:
        """Every dataset name that an event lists."""
        names = {
            mention.raw for run in self.runs() for side in ("inputs", "outputs") for mention in self.mentions(run, side)
        }
        return sorted(names | {name_of(event["dataset"]) for _, event in self.events if "dataset" in event})


def name_of(entry: Event) -> Name:
    return entry["namespace"], entry["name"]


def silence_in(event: Event) -> dict[str, Any] | None:
    """What a stale policy says of the run, where this is such an event."""
    facet: dict[str, Any] | None = event.get("run", {}).get("facets", {}).get("headwater_interrupted")
    return facet


def latest(said: list[Any]) -> dict[str, Any] | None:
    """The last of what was said, in order of (event time, event id); None where `_deleted` came last."""
    values = [value for value in said if value is not None]
    return None if not values or values[-1].get("_deleted") else values[-1]
