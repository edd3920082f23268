"""Random builds, and what follows from them by rules 19 to 22: the least that could be right, without any index."""

from __future__ import annotations

import random
from collections import defaultdict
from typing import Any
from uuid import UUID

from headwater.shared.codec import run_uuid

Event = dict[str, Any]
STAMP = {"_producer": "https://example.org/builds", "_schemaURL": "https://example.org/builds"}
PARTITIONS = ["p0", "p1", "p2", "p3"]
WANTS = ["w0", "w1", "w2", str(UUID(int=3))]
RUNS = [str(UUID(int=0x2000 + number)) for number in range(5)]
WORDS = ["OTHER", "START", "RUNNING", "FAIL", "ABORT", "COMPLETE", None]
ORDER = ["QUEUED", "START", "RUNNING", "FAIL", "ABORT", "COMPLETE"]
ENDS = {"FAIL": "Failed", "ABORT": "Aborted", "COMPLETE": "Succeeded"}


class Builder:
    """Draws a build: few names and times, so that everything meets everything."""

    def __init__(self, rng: random.Random) -> None:
        self.rng = rng

    def build(self) -> list[Event]:
        events = [self.want() for _ in range(self.rng.randint(0, 5))]
        for run in RUNS:
            key = self.rng.choice([None, "k1", "k2"])
            reads, writes = (self.rng.sample(PARTITIONS, self.rng.choice([0, 1, 1, 2])) for _ in range(2))
            events += [self.of_run(run, key, reads, writes) for _ in range(self.rng.randint(0, 5))]
        return events

    def time(self) -> str:
        return f"2026-01-01T00:00:{self.rng.randint(0, 9):02d}Z"

    def names(self, most: int = 2) -> list[dict[str, str]]:
        some = self.rng.sample(PARTITIONS, self.rng.randint(1, most))
        return [{"namespace": "db", "name": name} for name in some]

    def want(self) -> Event:
        said = {**STAMP, "partitions": self.names(), "comment": self.rng.choice([None, "a", "b"])}
        dataset = {"namespace": "headwater:wants", "name": self.rng.choice(WANTS), "facets": {"headwater_want": said}}
        return {"eventTime": self.time(), "dataset": dataset}

    def of_run(self, run: str, key: str | None, reads: list[str], writes: list[str]) -> Event:
        rng, facets = self.rng, dict[str, Any]()
        if key is not None:
            facets["headwater_attempt"] = {**STAMP, "logicalKey": key}
        if rng.random() < 0.4:
            facets["headwater_wants"] = {**STAMP, "wants": rng.sample(WANTS, rng.randint(1, 2))}
        if rng.random() < 0.3:
            facets["headwater_queued"] = dict(STAMP)
        if rng.random() < 0.3:
            wants: list[dict[str, Any]] = [{"id": want} for want in rng.sample(WANTS, rng.randint(0, 2))]
            for each in wants:
                if rng.random() < 0.5:
                    each |= {"partitions": self.names(), "comment": "spawned"}
            facets["headwater_dep_miss"] = {**STAMP, "missing": self.names(), "wants": wants}
        event: Event = {
            "eventTime": self.time(),
            "run": {"runId": run, "facets": facets},
            "job": {"namespace": "jobs", "name": "j"},
            "inputs": [{"namespace": "db", "name": name} for name in reads],
            "outputs": [{"namespace": "db", "name": name} for name in writes],
        }
        if word := rng.choice(WORDS):
            event["eventType"] = word
        return event


class BuildModel:
    """``events``: (event id, event); the id only breaks ties of equal times."""

    def __init__(self, events: list[tuple[str, Event]]) -> None:
        self.events = sorted(events, key=lambda each: (each[1]["eventTime"], each[0]))
        self.said: dict[str, tuple[set[str], str | None]] = {}
        self.serves: set[tuple[str, str]] = set()
        self.spawned: set[tuple[str, str]] = set()
        self.missing: dict[str, set[str]] = {}
        self.keys: dict[str, str] = {}
        self.words: dict[str, set[tuple[str, int]]] = defaultdict(set)
        self.missed: set[tuple[str, str]] = set()
        self.first: dict[str, str] = {}
        self.reads: dict[str, set[str]] = defaultdict(set)
        self.writes: dict[str, set[str]] = defaultdict(set)
        for _, event in self.events:  # in this order the last word is the last one
            self._take(event)

    def _take(self, event: Event) -> None:
        time = event["eventTime"]
        if "dataset" in event:
            self._say(event["dataset"]["name"], event["dataset"]["facets"]["headwater_want"])
            return
        run, facets, word = event["run"]["runId"], event["run"]["facets"], event.get("eventType")
        self.first.setdefault(run, time)
        self.reads[run] |= {each["name"] for each in event["inputs"]}
        self.writes[run] |= {each["name"] for each in event["outputs"]}
        if attempt := facets.get("headwater_attempt"):
            self.keys[run] = attempt["logicalKey"]
        self.serves |= {(run_uuid(want), run) for want in facets.get("headwater_wants", {}).get("wants", ())}
        if miss := facets.get("headwater_dep_miss"):
            self.missing[run] = {each["name"] for each in miss["missing"]}
            for each in miss["wants"]:
                self.spawned.add((run_uuid(each["id"]), run))
                if "partitions" in each:
                    self._say(each["id"], each)
            if word in ("FAIL", "ABORT"):
                self.missed.add((run, time))
        if word in (None, "OTHER"):
            word = "QUEUED" if "headwater_queued" in facets else None
        if word:
            self.words[run].add((time, ORDER.index(word)))

    def _say(self, want: str, facet: dict[str, Any]) -> None:
        self.said[run_uuid(want)] = {each["name"] for each in facet["partitions"]}, facet.get("comment")

    def history(self, run: str) -> list[str]:
        found: list[str] = []
        for status, _ in self._walk(run):
            if not found or found[-1] != status:
                found.append(status)
        return found

    def _walk(self, run: str) -> list[tuple[str, str]]:
        """(status, time) of the words that count."""
        counted: list[tuple[str, str]] = []
        end: tuple[str, str] | None = None
        for time, order in sorted(self.words[run]):
            word = ORDER[order]
            retry = end is not None and end[0] != "Succeeded" and time > end[1]
            if word in ENDS:
                if end is None:
                    end = ("DepMiss" if word != "COMPLETE" and (run, time) in self.missed else ENDS[word], time)
                    counted.append(end)
            elif word == "QUEUED":
                if not counted or retry:
                    counted.append(("Queued", time))
            elif end is None or (word == "START" and retry):
                end = None
                counted.append(("Running", time))
        return counted

    def committed(self, run: str) -> str | None:
        walk = [each for each in self._walk(run) if each[0] == "Succeeded"]
        return walk[0][1] if walk else None

    def current(self, partition: str, at: str = "~", without: str = "") -> str | None:
        """The run whose instance is current; no version is declared here."""
        made = [(time, run) for run in self.first if partition in self.writes[run] and (time := self.committed(run))]
        return max(((time, run) for time, run in made if time <= at and run != without), default=(None, None))[1]

    def read(self, run: str) -> dict[str, str | None]:
        """Partition to the run whose instance was read; None: not settled, or there was none."""
        if not self.committed(run):
            return dict.fromkeys(self.reads[run])
        end = self._walk(run)[-1][1]
        begun = [ORDER[order] for _, order in self.words[run]]
        started = [
            min(time for time, order in self.words[run] if ORDER[order] == word)
            for word in ("START", "RUNNING")
            if word in begun
        ]
        at = next((time for time in started if time <= end), self.first[run])
        return {each: self.current(each, at, run) for each in self.reads[run]}

    def wants(self) -> set[str]:
        return set(self.said) | {want for want, _ in self.serves | self.spawned}

    def runs_of(self, want: str) -> set[frozenset[str]]:
        """Attempts at one piece of work together."""
        groups: dict[str, set[str]] = defaultdict(set)
        for served, run in self.serves:
            if served == want:
                groups[self.keys.get(run, run)].add(run)
        return {frozenset(group) for group in groups.values()}

    def derived(self, want: str) -> set[str]:
        serving = {run for served, run in self.serves if served == want}
        return {other for other, run in self.spawned if run in serving and other != want}
