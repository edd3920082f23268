"""Rules 1 to 4 and 9: states of runs, their times and facets, when they committed, and parents."""

from __future__ import annotations

from typing import Any, NamedTuple

from .events import Events, Mention, Name, latest, name_of, silence_in

ORDER = ["START", "RUNNING", "INTERRUPT", "FAIL", "ABORT", "COMPLETE"]
ENDS = {"FAIL": "FAILED", "ABORT": "ABORTED", "COMPLETE": "COMPLETED"}


class State(NamedTuple):
    state: str
    contradiction: bool
    started: str | None
    ended: str | None


class Runs(Events):
    # Rules 1 and 2: state and times

    def state(self, run: str) -> State:
        said = {(event["eventTime"], event.get("eventType")) for _, event in self.run_events(run)}
        silences = [silence_in(event) for _, event in self.events if event.get("run", {}).get("runId") == run]
        said |= {(silence["lastSeen"], "INTERRUPT") for silence in silences if silence}
        words = sorted((time, ORDER.index(word), word) for time, word in said if word in ORDER)
        state, contradiction, ended = "NEW", False, None
        for time, _, word in words:
            if state in ENDS.values():
                if word in ENDS:
                    contradiction = True
                if word == "START" and state != "COMPLETED" and time > ended:
                    state, ended = "RUNNING", None
            elif word in ENDS:
                state, ended = ENDS[word], time
            else:
                state = "INTERRUPTED" if word == "INTERRUPT" else "RUNNING"
        started = None
        for wanted in ("START", "RUNNING"):
            times = [time for time, _, word in words if word == wanted and (ended is None or time <= ended)]
            started = started or (min(times) if times else None)
        return State(state, contradiction, started, ended)

    def first_time(self, run: str) -> str:
        return str(min(event["eventTime"] for _, event in self.run_events(run)))

    def begin(self, run: str) -> str:
        """Where rule 6 looks: started, else the first event."""
        return self.state(run).started or self.first_time(run)

    # Rule 3: facets of a run

    def run_facet(self, run: str, name: str) -> dict[str, Any] | None:
        said = [event["run"].get("facets", {}).get(name) for _, event in self.run_events(run)]
        return latest(said)

    def job_facet(self, run: str, name: str) -> dict[str, Any] | None:
        return latest([event["job"].get("facets", {}).get(name) for _, event in self.run_events(run)])

    def job_of(self, run: str) -> Name:
        return name_of(self.run_events(run)[-1][1]["job"])

    # Rule 4: commits

    def commit_time(self, run: str, mentions: list[Mention]) -> str | None:
        """When an output with these mentions was committed, if it was."""
        marks = [mention.time for mention in mentions if "headwater_commit" in mention.own]
        if marks:
            return min(marks)
        if any("headwater_commit" in mention.own for mention in self.mentions(run, "outputs")):
            return None
        state = self.state(run)
        return state.ended if state.state == "COMPLETED" else None

    # Rule 9: parents

    def parent(self, run: str) -> str | None:
        facet = self.run_facet(run, "parent")
        return facet["run"]["runId"] if facet else None
