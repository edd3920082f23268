"""Rules 4 and 5: what runs wrote and committed, and what of it stands."""

from __future__ import annotations

from typing import Any

from .events import Mention, Name, latest
from .names import Names


class Generations(Names):
    def outputs(self, run: str) -> frozenset[Name]:
        return frozenset(self.canonical(mention.raw) for mention in self.mentions(run, "outputs"))

    def output_facet(self, run: str, dataset: Name, version: str, name: str) -> dict[str, Any] | None:
        """What was said with this version, or with none."""
        return latest(
            [
                mention.facets.get(name)
                for mention in self.mentions(run, "outputs")
                if self.canonical(mention.raw) == dataset and mention.version in (None, version)
            ]
        )

    def written(self, run: str) -> list[tuple[Name, str, str | None]]:
        """The generations that a run wrote: (dataset, version, commit time or None)."""
        found: list[tuple[Name, str, str | None]] = []
        for dataset in sorted(self.outputs(run)):
            mentions = [one for one in self.mentions(run, "outputs") if self.canonical(one.raw) == dataset]
            changes = [latest([m.facets.get("lifecycleStateChange")]) for m in mentions]
            if any(change and change["lifecycleStateChange"] in ("DROP", "RENAME") for change in changes):
                continue
            bare = [one for one in mentions if one.version is None]
            declaring = {one.raw for one in mentions if one.version is not None}
            for version in sorted(self.claimed(mentions)):
                same = [one for one in mentions if one.version == version]
                names = {one.raw for one in same}
                handed = [one for one in bare if one.raw in names or one.raw not in declaring]
                found.append((dataset, version, self.commit_time(run, same + handed)))
            if len(bare) == len(mentions):
                found.append((dataset, "~" + run, self.commit_time(run, bare)))
        return [(dataset, version, time if self.then(time) else None) for dataset, version, time in found]

    def claimed(self, mentions: list[Mention]) -> set[str]:
        """The versions that a run claims of one output, of all it declared: under each name those marked as committed,
        and of the others the one said last, going by when each was said first."""
        found = set()
        for raw in {one.raw for one in mentions}:
            ours = [one for one in mentions if one.raw == raw]
            said = {one.version: one.time for one in reversed(ours) if one.version is not None}
            marked = {one.version for one in ours if "headwater_commit" in one.own}
            found |= {
                version
                for version, time in said.items()
                if version in marked or None in marked or time == max(said.values())
            }
        return found

    def commits(self, dataset: Name) -> list[tuple[str, str, str]]:
        """(commit time, version, run) of a dataset, in order."""
        return sorted(
            (time, version, run)
            for run in self.runs()
            for name, version, time in self.written(run)
            if name == dataset and time is not None
        )

    def committers(self, dataset: Name, version: str | None) -> list[str]:
        return sorted({run for _, found, run in self.commits(dataset) if found == version})

    def committed(self, dataset: Name) -> list[str]:
        """Versions by commit time."""
        times: dict[str, str] = {}
        for time, version, _ in self.commits(dataset):
            times[version] = max(time, times.get(version, ""))
        return sorted(times, key=lambda version: (times[version], version))

    def candidates(self, dataset: Name) -> set[str]:
        written = {version for run in self.runs() for name, version, _ in self.written(run) if name == dataset}
        return written - set(self.committed(dataset))

    def current(self, dataset: Name) -> str | None:
        committed = [version for version in self.committed(dataset) if not self.holds("withdrawn", dataset, version)]
        return committed[-1] if committed else None

    def marked(self, kind: str, dataset: Name) -> set[str]:
        return {version for version in self.committed(dataset) if self.holds(kind, dataset, version)}

    def deleted(self, dataset: Name) -> bool:
        drops = [time for raw, time, change, _ in self.changes() if change == "DROP" and self.canonical(raw) == dataset]
        writes = [time for time, _, _ in self.commits(dataset)]
        return bool(drops) and not any(write > max(drops) for write in writes)
