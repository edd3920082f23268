"""Random histories: few jobs, datasets, runs and times, so that everything meets everything."""

from __future__ import annotations

import random
import uuid
from datetime import UTC, datetime, timedelta
from typing import Any

Event = dict[str, Any]

PRODUCER = "https://example.org/histories"
EPOCH = datetime(2026, 1, 1, tzinfo=UTC)
DATASETS = [("db", name) for name in ("a", "b", "c", "d", "e")]
ALIASES = {("db", "a"): ("hive", "a"), ("db", "b"): ("hive", "b")}
OLD, NEW = ("db", "old"), ("db", "new")
WORDS = ["START", "RUNNING", "OTHER", "COMPLETE", "FAIL", "ABORT", None]


class Historian:
    """Draws one history. ``rng`` may be Hypothesis' own, so that a failing history shrinks."""

    def __init__(self, rng: random.Random, *, runs: int = 6, jobs: int = 3) -> None:
        self.rng = rng
        self.run_ids = [str(uuid.UUID(int=0x1000 + number)) for number in range(runs)]
        self.job_names = [("jobs", f"j{number}") for number in range(jobs)]

    def history(self) -> list[Event]:
        events = [event for run in self.run_ids for event in self.run(run)]
        events += [self.link() for _ in range(self.rng.choice([0, 0, 1, 2]))]
        events += [self.lifecycle() for _ in range(self.rng.choice([0, 0, 1]))]
        events += [self.design() for _ in range(self.rng.choice([0, 1]))]
        events += [self.mark(events) for _ in range(self.rng.choice([0, 0, 2, 4, 6]))]
        events += [self.silence(self.rng.choice(events)) for _ in range(self.rng.choice([0, 0, 1, 2]))]
        return events

    def time(self, day: float) -> str:
        return (EPOCH + timedelta(days=day)).strftime("%Y-%m-%dT%H:%M:%SZ")

    # Runs

    def run(self, run: str) -> list[Event]:
        rng = self.rng
        job = rng.choice(self.job_names)
        day = rng.choice([0, 1, 2, 3, 4, 30, 31, 35]) + rng.choice([0, 0.25])
        plan = self.plan(run)
        words: list[str | None] = rng.choice(
            [["START", "COMPLETE"], ["COMPLETE"], ["START", "FAIL"], ["START", "RUNNING", "COMPLETE"],
             [rng.choice(WORDS) for _ in range(rng.randint(1, 5))]]
        )  # fmt: skip
        events = []
        for step, word in enumerate(words):
            skew = rng.choice([0, 0, 0, 0, 0, 0, -1, 1])
            event = self.event(run, job, day + step * rng.choice([0, 0.125, 0.125, 0.125]) + skew, word)
            event["run"]["facets"] = {key: value for key, value in plan["run"].items() if rng.random() < 0.7}
            if rng.random() < 0.7:
                event["job"]["facets"] = plan["job"]
            event["inputs"] = [self.mention(name, plan, "inputs") for name in plan["inputs"] if rng.random() < 0.7]
            event["outputs"] = [self.mention(name, plan, "outputs") for name in plan["outputs"] if rng.random() < 0.7]
            events.append(event)
        return events

    def event(self, run: str, job: tuple[str, str], day: float, word: str | None) -> Event:
        event: Event = {
            "eventTime": self.time(day), "producer": PRODUCER, "schemaURL": PRODUCER + "#/$defs/RunEvent",
            "run": {"runId": run}, "job": named(job), "inputs": [], "outputs": [],
        }  # fmt: skip
        if word:
            event["eventType"] = word
        return event

    def plan(self, run: str) -> dict[str, Any]:
        """What the run's events draw from: its datasets, their versions and the facets they may carry."""
        rng = self.rng
        inputs = rng.sample(DATASETS, rng.choice([0, 1, 1, 2, 3]))
        outputs = rng.sample(DATASETS, rng.choice([0, 1, 1, 1, 2]))
        if rng.random() < 0.1:
            inputs = [*inputs, rng.choice([OLD, NEW])]
        if rng.random() < 0.1:
            outputs = [*outputs, rng.choice([OLD, NEW])]
        declared = {name: rng.choice([["1"], ["2"], ["1", "2"], [], []]) for name in (*inputs, *outputs, OLD, NEW)}
        plan: dict[str, Any] = {"inputs": inputs, "outputs": outputs, "versions": declared, "job": {}, "run": {}}
        plan["marks"] = [name for name in outputs if rng.random() < 0.2]
        plan["facets"] = {name: self.versions_of_facets(inputs) for name in outputs}
        if outputs and rng.random() < 0.2:
            entries = [
                {**named(name), "type": "DATASET", "inputs": self.sources(inputs)} for name in rng.sample(outputs, 1)
            ]
            plan["job"] = {"lineage": facet({"entries": entries})}
        if rng.random() < 0.5:
            plan["run"]["nominalTime"] = facet({"nominalStartTime": self.time(rng.choice([0, 1]))})
        if rng.random() < 0.1:
            plan["run"]["headwater_attempt"] = facet({"logicalKey": "k"})
        if rng.random() < 0.3:
            parent = rng.choice([other for other in self.run_ids if other != run])
            plan["run"]["parent"] = facet({"run": {"runId": parent}, "job": named(rng.choice(self.job_names))})
        return plan

    def versions_of_facets(self, inputs: list[tuple[str, str]]) -> list[dict[str, Any]]:
        """What the events of a run say of one output: mostly the same, sometimes something newer."""
        first = self.output_facets(inputs)
        if "lifecycleStateChange" in first or self.rng.random() < 0.7:
            return [first]
        second = self.output_facets(inputs)
        if "columnLineage" in first and self.rng.random() < 0.3:
            second = {"columnLineage": facet({"_deleted": True})}
        return [first, {} if "lifecycleStateChange" in second else second]

    def output_facets(self, inputs: list[tuple[str, str]]) -> dict[str, Any]:
        rng = self.rng
        kind = rng.choice(["none", "none", "columns", "columns", "explicit", "drop"])
        if kind == "columns":
            names = rng.sample([*inputs, *DATASETS, ("db", "alias")], rng.randint(1, 2))
            columns = [{**named(self.alias(name)), "field": "x"} for name in names]
            return {"columnLineage": facet({"fields": {"y": {"inputFields": columns}}})}
        if kind == "explicit" and rng.random() < 0.5:
            return {"lineage": facet({"inputs": self.sources(inputs)})}
        if kind == "drop" and rng.random() < 0.3:
            return {"lifecycleStateChange": facet({"lifecycleStateChange": "DROP"})}
        return {}

    def sources(self, inputs: list[tuple[str, str]]) -> list[Event]:
        rng = self.rng
        names = [name for name in inputs if rng.random() < 0.5] + [
            rng.choice(DATASETS) for _ in range(rng.choice([0, 0, 1]))
        ]
        return [{**named(self.alias(name)), "type": "DATASET"} for name in dict.fromkeys(names)]

    def alias(self, name: tuple[str, str]) -> tuple[str, str]:
        return ALIASES.get(name, name) if self.rng.random() < 0.25 else name

    def mention(self, name: tuple[str, str], plan: dict[str, Any], side: str) -> Event:
        rng = self.rng
        versions, facets = plan["versions"][name], {}
        own: dict[str, Any] = {}
        extra = rng.choice(plan["facets"][name]) if side == "outputs" else {}
        if "lifecycleStateChange" in extra:
            facets = dict(extra)  # a drop says so each time, of the table as such
        else:
            if versions and rng.random() < 0.7:
                facets["version"] = facet({"datasetVersion": rng.choice(versions)})
            if rng.random() < 0.7:
                facets.update(extra)
            if side == "outputs" and name in plan["marks"] and rng.random() < 0.6:
                own["headwater_commit"] = facet({})
            if side == "inputs" and rng.random() < 0.05:
                facets.update(self.words(name, 0.3)[1])
        return {
            **named(self.alias(name)), "facets": facets, "inputFacets" if side == "inputs" else "outputFacets": own,
        }  # fmt: skip

    # Events about datasets and jobs

    def dataset_event(self, name: tuple[str, str], facets: dict[str, Any]) -> Event:
        return {
            "eventTime": self.time(self.rng.choice([0, 1, 2, 2.5, 3, 40])), "producer": PRODUCER,
            "schemaURL": PRODUCER + "#/$defs/DatasetEvent", "dataset": {**named(name), "facets": facets},
        }  # fmt: skip

    def link(self) -> Event:
        name, other = self.rng.choice([*ALIASES.items(), *((b, a) for a, b in ALIASES.items())])
        if self.rng.random() < 0.15:
            return self.dataset_event(name, {"symlinks": facet({"_deleted": True})})
        return self.dataset_event(name, {"symlinks": facet({"identifiers": [{**named(other), "type": "TABLE"}]})})

    def lifecycle(self) -> Event:
        if self.rng.random() < 0.5:
            change = {"lifecycleStateChange": "RENAME", "previousIdentifier": named(OLD)}
            return self.dataset_event(NEW, {"lifecycleStateChange": facet(change)})
        return self.dataset_event(
            self.rng.choice(DATASETS), {"lifecycleStateChange": facet({"lifecycleStateChange": "DROP"})}
        )

    def mark(self, events: list[Event]) -> Event:
        """A generation is withdrawn or called bad, or no longer so: mostly one that a run wrote, mostly afterwards."""
        rng = self.rng
        name, facets = self.words(self.alias(rng.choice(DATASETS)), 0.4)
        event = self.dataset_event(name, facets)
        writers = [event for event in events if event.get("run") and event["outputs"]]
        if writers and rng.random() < 0.9:
            writer = rng.choice(writers)
            output = rng.choice(writer["outputs"])
            declared = output["facets"].get("version", {}).get("datasetVersion")
            for said in event["dataset"]["facets"].values():
                said["generations"] = [declared or f"~{writer['run']['runId']}"]
            event["dataset"] |= {key: output[key] for key in ("namespace", "name")}
            event["eventTime"] = rng.choice([writer["eventTime"], self.time(rng.choice([0, 4, 31, 35, 36, 40]))])
        return event

    def words(self, name: tuple[str, str], back: float) -> tuple[tuple[str, str], dict[str, Any]]:
        rng = self.rng
        kind = rng.choice(["withdrawn", "bad"])
        of = ["1", "2", f"~{rng.choice(self.run_ids)}", f"~{rng.choice(self.run_ids)}"]
        said: dict[str, Any] = {"generations": sorted(set(rng.sample(of, rng.choice([1, 2])))), "reason": "r"}
        if rng.random() < back:
            said[kind] = False
        return name, {"headwater_withdrawal" if kind == "withdrawn" else "headwater_bad": facet(said)}

    def silence(self, of: Event) -> Event:
        """Nothing was heard of a run since the time of some event: mostly one of its own."""
        run = of["run"]["runId"] if "run" in of else self.rng.choice(self.run_ids)
        said = facet({"lastSeen": of["eventTime"], "afterSeconds": 60, "reason": "silent"})
        job = (of["job"]["namespace"], of["job"]["name"]) if "run" in of else self.job_names[0]
        event = self.event(run, job, 50, "OTHER")
        event["run"]["facets"] = {"headwater_interrupted": said}
        return event

    def design(self) -> Event:
        rng = self.rng
        return {
            "eventTime": self.time(rng.choice([0, 1, 2])), "producer": PRODUCER,
            "schemaURL": PRODUCER + "#/$defs/JobEvent", "job": named(rng.choice(self.job_names)),
            "inputs": [named(name) for name in rng.sample(DATASETS, 2)], "outputs": [named(rng.choice(DATASETS))],
        }  # fmt: skip


def named(name: tuple[str, str]) -> dict[str, str]:
    return {"namespace": name[0], "name": name[1]}


def facet(value: dict[str, Any]) -> dict[str, Any]:
    return {"_producer": PRODUCER, "_schemaURL": PRODUCER, **value}
