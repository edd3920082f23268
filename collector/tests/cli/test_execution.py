"""``headwater want``, ``partition`` and ``job-run``: from a directory and over the API, as pages and as JSON."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from headwater.collector.embedded import Embedded
from headwater.shared.codec import run_uuid

from .conftest import Cli
from .events import event, facet, lines, run_id

WANTED = [{"namespace": "shop", "name": "board"}]


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A want for ``board``: a dep-miss, a derivative want for ``revenue``, and the retry; then 120 readers."""
    directory = tmp_path_factory.mktemp("built") / "data"
    said = {"headwater_want": facet(partitions=WANTED, comment="for monday")}
    want = {
        "eventTime": "2026-03-02T02:00:00Z",
        "dataset": {"namespace": "headwater:wants", "name": "w", "facets": said},
    }
    attempt = {"headwater_wants": facet(wants=["w"]), "headwater_attempt": facet(logicalKey="board/1")}
    revenue = [{"namespace": "shop", "name": "revenue"}]
    missed = facet(missing=revenue, wants=[{"id": "w2", "partitions": revenue}])
    events = [
        want,
        event("a1", "OTHER", at=1, job="board", facets={**attempt, "headwater_queued": facet()}),
        event("a1", "START", at=2, job="board", facets=attempt),
        event("a1", "ABORT", at=3, job="board", inputs=["revenue"], facets={**attempt, "headwater_dep_miss": missed}),
        event("r1", at=4, job="revenue", outputs=["revenue@1"], facets={"headwater_wants": facet(wants=["w2"])}),
        event("a2", at=5, job="board", inputs=["revenue"], outputs=["board@1"], facets=attempt),
        *(event(f"reader {number}", at=6, job="read", inputs=["board"], outputs=["x"]) for number in range(120)),
    ]

    async def collect() -> None:
        async with Embedded(directory) as embedded:
            await embedded.ingest(lines(*events).splitlines())

    asyncio.run(collect())
    return directory


def test_a_want_is_a_tree(cli: Cli, built: Path) -> None:
    page = cli("want", "w", "--dir", built).out
    order = ["for monday", "board (shop)", "2 attempts", "DepMiss", run_id("a1"), "Succeeded", run_id("a2"),
             "derivative wants", run_uuid("w2"), "spawned by", "revenue (shop)", run_id("r1")]  # fmt: skip
    places = [page.index(each, 0) for each in order]
    assert places[0] < places[2] < places[7] < places[8] < places[9] < places[11]
    answer = cli("want", "w", "--dir", built, "--json").json
    assert answer["derivativeWants"]["items"][0]["id"] == run_uuid("w2")
    assert "..." in cli("want", "w", "--depth", 0, "--dir", built).out


def test_a_job_run_has_its_history(cli: Cli, built: Path) -> None:
    page = cli("job-run", run_id("a1"), "--dir", built).out
    assert all(each in page for each in ("DepMiss", "Queued", "Running", "missing", "revenue (shop)", run_uuid("w2")))
    answer = cli("job-run", run_id("a2"), "--dir", built, "--json").json
    assert answer["status"] == "Succeeded"
    assert answer["read"]["items"][0]["uuid"]


def test_a_partition_by_any_reference_and_page_by_page(cli: Cli, built: Path) -> None:
    page = cli("partition", "shop/board", "--dir", built).out
    assert page == cli("partition", "dataset:shop:board", "--dir", built).out
    assert page == cli("partition", "shop", "board", "--dir", built).out
    assert all(each in page for each in ("canonical", run_id("a2"), run_uuid("w"), "revenue (shop)", "+20 more of 120"))
    answer = cli("partition", "shop/board", "--dir", built, "--json").json["downstream"]
    rest = cli("partition", "shop/board", "--after", answer["next"], "--dir", built, "--json").json["downstream"]
    runs = {each["runId"] for page in (answer, rest) for each in page["items"]}
    assert runs == {run_id(f"reader {number}") for number in range(120)}
    assert (len(rest["items"]), rest["next"]) == (20, None)


@pytest.mark.parametrize("words", [["want", "nobody"], ["partition", "shop", "nothing"], ["job-run", "nobody"]])
def test_what_nobody_knows(cli: Cli, built: Path, words: list[str]) -> None:
    ended = cli(*words, "--dir", built)
    assert (ended.status, ended.out) == (1, "")
    assert words[-1] in ended.err


@pytest.mark.parametrize("words", [["want", "w"], ["partition", "shop/board"], ["job-run", "x"]])
def test_a_wrong_cursor_is_wrong_usage(cli: Cli, built: Path, words: list[str]) -> None:
    ended = cli(*words, "--after", "x", "--dir", built)
    assert ended.status == 2
    assert "--after" in ended.err
