"""Rules 6 to 8: which generations were read, what was made from what, and the current edges of jobs."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime, timedelta
from typing import Any, NamedTuple

from .events import Generation, Name, name_of
from .generations import Generations

WINDOW = timedelta(days=30)


class Edge(NamedTuple):
    dataset: Name
    version: str | None
    grade: str


class Edges(Generations):
    # Rule 6: pins

    def pins(self, run: str, dataset: Name) -> list[tuple[str | None, str]]:
        """(version, grade) of one input, whether the run lists it or only a lineage facet names it."""
        declared = {
            mention.version
            for mention in self.mentions(run, "inputs")
            if self.canonical(mention.raw) == dataset and mention.version is not None
        }
        if declared:
            return [(version, "declared") for version in sorted(declared)]
        own = {version for name, version, _ in self.written(run) if name == dataset}
        before = [
            (time, version)
            for time, version, _ in self.commits(dataset)
            if time <= self.begin(run)
            and version not in own
            and not self.holds("withdrawn", dataset, version, self.begin(run))
        ]
        return [(max(before)[1], "inferred")] if before else [(None, "unknown")]

    def inputs(self, run: str) -> set[tuple[Name, str | None, str]]:
        listed = {self.canonical(mention.raw) for mention in self.mentions(run, "inputs")}
        return {(dataset, version, grade) for dataset in listed for version, grade in self.pins(run, dataset)}

    # Rule 7: edges

    def edges(self, run: str, dataset: Name, version: str) -> frozenset[Edge]:
        listed = {name for name, _, _ in self.inputs(run)}
        explicit = self.explicit_sources(run, dataset, version)
        if explicit is not None:
            return self.with_pins(run, explicit, "declared")
        columns = self.output_facet(run, dataset, version, "columnLineage")
        if columns is not None:
            named = {self.canonical(name_of(source)) for source in _column_sources(columns)}
            anywhere = {
                self.canonical(one.raw)
                for r in self.runs()
                for s in ("inputs", "outputs")
                for one in self.mentions(r, s)
            }
            return self.with_pins(run, named & anywhere, "declared") | self.with_pins(run, listed - named, "unknown")
        return self.with_pins(run, listed, "sole" if len(self.outputs(run)) == 1 else "unknown")

    def explicit_sources(self, run: str, dataset: Name, version: str) -> set[Name] | None:
        entries = (self.job_facet(run, "lineage") or {"entries": []})["entries"]
        lists = [entry["inputs"] for entry in entries if self.canonical(name_of(entry)) == dataset]
        own = self.output_facet(run, dataset, version, "lineage")
        lists += [own["inputs"]] if own else []
        return {self.canonical(name_of(source)) for sources in lists for source in sources} if lists else None

    def with_pins(self, run: str, datasets: Iterable[Name], grade: str) -> frozenset[Edge]:
        return frozenset(Edge(name, version, grade) for name in datasets for version, _ in self.pins(run, name))

    def edges_of(self, generation: Generation) -> set[Edge]:
        """Edges of a committed generation; of all who claim it, where several do."""
        dataset, version = generation
        return {edge for run in self.committers(dataset, version) for edge in self.edges(run, dataset, version or "")}

    # Rule 8: current edges of a job

    def job_edges(self, job: Name) -> tuple[set[Name], set[Name]]:
        ours = [run for run in self.runs() if self.job_of(run) == job]
        named = [run for run in ours if self.mentions(run, "inputs") or self.mentions(run, "outputs")]
        latest = max((self.first_time(run) for run in named), default=None)
        inputs: set[Name] = set()
        outputs: set[Name] = set()
        for run in named:
            if latest and _date(latest) - _date(self.first_time(run)) <= WINDOW:
                inputs |= {self.canonical(mention.raw) for mention in self.mentions(run, "inputs")}
                outputs |= self.outputs(run)
        return inputs, outputs


def _column_sources(facet: dict[str, Any]) -> list[dict[str, Any]]:
    named = [source for column in facet.get("fields", {}).values() for source in column["inputFields"]]
    return [*named, *facet.get("dataset", [])]


def _date(text: str) -> datetime:
    return datetime.fromisoformat(text)
