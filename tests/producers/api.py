"""What a person would ask a collector over HTTP after the producers have run."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, Self
from urllib.parse import quote

import httpx

PATIENCE_S = 60.0


class Api:
    """Of one collector."""

    def __init__(self, url: str) -> None:
        self.url = url
        self._http = httpx.Client(base_url=url, timeout=30)

    def get(self, *path: str, **params: Any) -> Any:
        """``get("runs", run_id)``: under ``/api``, each part percent-encoded."""
        answer = self._http.get("/api/" + "/".join(quote(part, safe="") for part in path), params=params)
        assert answer.status_code == 200, f"{answer.request.url}: {answer.status_code} {answer.text}"
        return answer.json()

    def runs(self, job: str | None = None, state: str | None = None) -> list[dict[str, Any]]:
        """All runs, or those of the jobs of that name, whole, in order of their first event."""
        page = self.get("runs", limit=1000)
        assert not page["truncated"]
        found = [one for one in page["runs"] if job in (None, one["job"]["name"]) and state in (None, one["state"])]
        return [self.get("runs", one["runId"]) for one in reversed(found)]

    def run(self, job: str, state: str | None = None) -> dict[str, Any]:
        """The only run of that job, or the only one in that state."""
        found = self.runs(job, state)
        assert len(found) == 1, f"{job}: {[(one['runId'], one['state']) for one in found]} of {self.jobs()}"
        return found[0]

    def jobs(self) -> dict[str, list[str]]:
        """Each job's name with the states of its runs, oldest first."""
        states: dict[str, list[str]] = {}
        for one in reversed(self.get("runs", limit=1000)["runs"]):
            states.setdefault(one["job"]["name"], []).append(one["state"])
        return states

    def datasets(self) -> set[tuple[str, str]]:
        """Every dataset, as (namespace, name)."""
        spaces = [one["name"] for one in self.get("v1", "namespaces", limit=1000)["namespaces"]]
        found = set()
        for space in spaces:
            page = self.get("v1", "namespaces", space, "datasets", limit=1000)
            found |= {(one["id"]["namespace"], one["id"]["name"]) for one in page["datasets"]}
        return found

    def events(self) -> list[dict[str, Any]]:
        """Every event as it was sent, oldest first."""
        page = self.get("v1", "events", "lineage", limit=1000, sortDirection="asc")
        return list(page["events"])

    def columns(self, namespace: str, name: str, column: str) -> set[tuple[str, str, str | None, str | None]]:
        """(dataset, column, type, subtype) that a column of the current generation is made from."""
        found = self.get("columns", namespace, name, column)["inputs"]
        return {(one["dataset"]["name"], one["field"], one["type"], one["subtype"]) for one in found}

    def edges(self, namespace: str, name: str) -> dict[str, str]:
        """What the current generation was made from: dataset to grade."""
        evidence = self.get("evidence", namespace, name)
        return {edge["dataset"]["name"]: edge["grade"] for edge in evidence["edges"]}

    def until(self, true: Callable[[Self], bool], what: str, patience_s: float = PATIENCE_S) -> None:
        """Asks until it is so."""
        deadline = time.monotonic() + patience_s
        while not true(self):
            assert time.monotonic() < deadline, f"not within {patience_s:g} s: {what}; {self.jobs()}"
            time.sleep(0.2)

    def close(self) -> None:
        self._http.close()


@contextmanager
def asking(url: str) -> Iterator[Api]:
    api = Api(url)
    try:
        yield api
    finally:
        api.close()


def names(mentions: list[dict[str, Any]]) -> set[str]:
    """Of the inputs or outputs of a run."""
    return {one["dataset"]["name"] for one in mentions}
