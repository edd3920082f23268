"""Rule 11: attempts at one logical run, and whose outputs count."""

from __future__ import annotations

from .edges import Edges
from .events import Generation, Name


class Attempts(Edges):
    def logical_key(self, run: str) -> str | None:
        attempt, nominal = self.run_facet(run, "headwater_attempt"), self.run_facet(run, "nominalTime")
        if attempt:
            return str(attempt["logicalKey"])
        return "/".join((*self.job_of(run), nominal["nominalStartTime"])) if nominal else None

    def attempts(self, key: str) -> list[str]:
        ours = [run for run in self.runs() if self.logical_key(run) == key and self.then(self.first_time(run))]
        return sorted(ours, key=lambda run: (self.first_time(run), run))

    def attempt(self, run: str) -> int | None:
        key = self.logical_key(run)
        return self.attempts(key).index(run) + 1 if key else None

    def winner(self, key: str) -> str | None:
        commits = [
            (time, run)
            for run in self.attempts(key)
            for dataset, version, time in self.written(run)
            if time and not self.holds("withdrawn", dataset, version)
        ]
        return max(commits)[1] if commits else None

    def publication(self, key: str) -> set[Generation]:
        """What the winner published, as far as it stands."""
        winner = self.winner(key)
        return {
            (dataset, version)
            for dataset, version, time in (self.written(winner) if winner else [])
            if time and not self.holds("withdrawn", dataset, version)
        }

    def changed(self, key: str) -> set[Name]:
        """Inputs whose versions differ between the attempts that named any."""
        found = set()
        runs = [run for run in self.attempts(key) if self.inputs(run)]
        for dataset in {name for run in runs for name, _, _ in self.inputs(run)}:
            versions = {frozenset(version for name, version, _ in self.inputs(run) if name == dataset) for run in runs}
            if len(versions) > 1:
                found.add(dataset)
        return found
