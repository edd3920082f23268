"""Every base fact as a line, for the fingerprint: the lines of the ``sql`` store, byte for byte."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from neo4j import Driver

from headwater.collector.questions.fingerprint import base_line
from headwater.collector.stores.graph.known import SIDES, STATE_SEPARATOR
from headwater.collector.stores.graph.marks import BASE_MARKS
from headwater.collector.stores.graph.mentions import ABSENT, parsed
from headwater.collector.stores.graph.wants import BASE_LINKS, BASE_WANTS, KINDS

_FETCH = 5_000
"""Rows in memory at a time."""


def base_lines(driver: Driver, database: str | None) -> Iterator[bytes]:
    """Reads while it is iterated. Writes that go on meanwhile may show in a part of the lines."""
    with driver.session(database=database, fetch_size=_FETCH, default_access_mode="READ") as session:

        def rows(statement: str) -> Iterator[list[Any]]:
            return (list(record.values()) for record in session.run(statement))

        for kind, label in (("job", "Job"), ("dataset", "Dataset")):
            for row in rows(_NAMES % label):
                yield base_line(kind, *row)
        for run, first, last, rank, time, event, namespace, name, states in rows(_RUNS):
            if first is not None:
                yield base_line("run", run, first, last)
            yield base_line("run_job", run, rank, time, event, namespace, name)
            for said in states or ():
                at, word = said.split(STATE_SEPARATOR)
                yield base_line("run_state", run, word, at)
        for run, kind, namespace, name, version, first, commit_time, facets in rows(_IO):
            yield base_line("run_io", run, int(SIDES[kind]), namespace, name, version, first, commit_time)
            for facet in map(parsed, facets or ()):
                about = (facet.scope, run, namespace, name, version)
                yield base_line("facet", *about, facet.name, facet.time, facet.event, _hash(facet.value))
        for statement in _FACETS:
            for scope, run, namespace, name, facet_name, time, event, value in rows(statement):
                yield base_line("facet", scope, run, namespace, name, "", facet_name, time, event, _hash(value))
        for row in rows(_DESIGNS):
            yield base_line("design", *row)
        for row in rows(_CHANGES):
            yield base_line("lifecycle", *row)
        for row in rows(BASE_MARKS):
            yield base_line("mark", *row)
        for row in rows(BASE_WANTS):
            yield base_line("want", *row)
        for role, link in KINDS.items():
            for row in rows(BASE_LINKS % (link, role)):
                yield base_line("want_run", *row)


def _hash(value: str) -> str | None:
    return None if value == ABSENT else value


_NAMES = "MATCH (n:%s) WHERE n.firstTime IS NOT NULL RETURN n.namespace, n.name, n.firstTime, n.lastTime"
_RUNS = """
MATCH (n:Run)-[:RUN_OF]->(j:Job)
RETURN n.id, n.firstTime, n.lastTime, n.jobRank, n.jobTime, n.jobEvent, j.namespace, j.name, n.states
"""
_IO = """
MATCH (n:Run)-[r:READS|WRITES|NAMES]->(d:Dataset)
RETURN n.id, type(r), d.namespace, d.name, r.version, r.time, r.commitTime, r.facets
"""
_SAID = "r.name, r.time, r.event, v.hash"
_FACETS = (
    f"MATCH (n:Job)-[r:SAYS]->(v:Value) RETURN r.scope, null AS run, n.namespace, n.name, {_SAID}",
    f"MATCH (n:Dataset)-[r:SAYS]->(v:Value) RETURN r.scope, null AS run, n.namespace, n.name, {_SAID}",
    f"MATCH (n:Run)-[r:SAYS]->(v:Value) RETURN r.scope, n.id, null AS namespace, null AS name, {_SAID}",
)
_DESIGNS = "MATCH (j:Job)-[:DESIGN]->(n:Design) RETURN j.namespace, j.name, n.side, n.time, n.event, n.datasets"
_CHANGES = """
MATCH (n:Change)-[:CHANGE_OF]->(d:Dataset) WHERE n.run IS NULL OPTIONAL MATCH (n)-[:PREVIOUS]->(p:Dataset)
RETURN d.namespace, d.name, n.time, n.change, p.namespace, p.name
"""
