"""What the API says of the catalog, as facts."""

from __future__ import annotations

from typing import Any

from headwater.collector.facts import DatasetSeen, FacetSaid, JobSeen, Scope
from headwater.collector.projection import project
from headwater.shared.codec import from_dict
from headwater.shared.event import Name

NOW, THEN, CANONICAL = "2026-01-01T00:00:00Z", "2025-01-01T00:00:00+00:00", "2025-01-01T00:00:00.000000000Z"


def said(body: dict[str, Any]) -> tuple[list[Any], list[str]]:
    found = project(from_dict({"eventTime": NOW, "producer": "x", **body}))
    return found.facts, [problem.where for problem in found.problems]


def of_job(**facets: Any) -> dict[str, Any]:
    return {"job": {"namespace": "ns", "name": "j", "facets": facets}}


def of_dataset(**facets: Any) -> dict[str, Any]:
    return {"dataset": {"namespace": "db", "name": "d", "facets": facets}}


def test_an_annotation_counts_as_seen_when_it_says_and_is_no_fact() -> None:
    note = {"headwater_annotation": {"asOf": THEN}, "headwater_tag:x": {"tag": "x"}}
    facts, problems = said(of_job(**note))
    assert facts[0] == JobSeen(Name("ns", "j"), CANONICAL, CANONICAL)
    assert [(fact.name, fact.time[:4]) for fact in facts[1:]] == [("headwater_tag:x", "2026")]
    assert said(of_dataset(**note))[0][0] == DatasetSeen(Name("db", "d"), CANONICAL, CANONICAL)
    assert problems == []


def test_a_deletion_is_said_at_the_time_up_to_which_it_deletes() -> None:
    for body, scope, owner in (
        (of_job(headwater_deleted={"asOf": THEN}), Scope.JOB, ("ns", "j")),
        (of_dataset(headwater_deleted={"asOf": THEN}), Scope.DATASET, ("db", "d")),
    ):
        fact = said(body)[0][-1]
        assert isinstance(fact, FacetSaid)
        assert (fact.scope, tuple(fact.owner), fact.time) == (scope, owner, CANONICAL)
        assert fact.value == b'{"asOf":"%s"}' % CANONICAL.encode()


def test_what_is_malformed_or_takes_a_deletion_back_is_a_problem_and_no_fact() -> None:
    for facet in ({}, {"asOf": 3}, {"asOf": "yesterday"}, {"_deleted": True}):
        facts, problems = said(of_job(headwater_deleted=facet, headwater_annotation=facet))
        assert facts == [JobSeen(Name("ns", "j"), "2026-01-01T00:00:00.000000000Z", "2026-01-01T00:00:00.000000000Z")]
        assert problems == ["/job/facets/headwater_deleted/asOf", "/job/facets/headwater_annotation/asOf"]


def test_identifiers_of_a_symlinks_facet_exist_once_each() -> None:
    links = {"symlinks": {"identifiers": [{"namespace": "hive", "name": "d"}, {"namespace": "db", "name": "d"}]}}
    facts, _ = said(of_dataset(**links))
    assert [fact.dataset for fact in facts if isinstance(fact, DatasetSeen)] == [Name("db", "d"), Name("hive", "d")]
    body = {
        "run": {"runId": "r"},
        "job": {"namespace": "ns", "name": "j"},
        "inputs": [{"namespace": "db", "name": "d", "facets": links}, {"namespace": "hive", "name": "d"}],
    }
    facts, _ = said(body)
    seen = [fact.dataset for fact in facts if isinstance(fact, DatasetSeen)]
    assert sorted(seen) == [Name("db", "d"), Name("hive", "d")]
