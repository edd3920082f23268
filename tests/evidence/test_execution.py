"""A build as an application records it, through the spool and a real collector; asked over HTTP, and by commands."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from typing import Any
from urllib.parse import quote
from uuid import NAMESPACE_URL, uuid5

import httpx
import pytest

from headwater.producer import LineageDataset, LineageProducer
from tests.support.collector import clean_environment, collector

Json = dict[str, Any]
DAY = "2026-11-29"
ORDERS, REVENUE, BOARD = (LineageDataset("s3://lake", f"{name}/{DAY}") for name in ("orders", "revenue", "board"))
READERS = 130


class Built:
    """What the application knows of its own build."""

    def __init__(self, producer: LineageProducer) -> None:
        self.want = producer.want([BOARD], comment="the board for monday")
        with producer.run("load_orders") as load:
            load.output(ORDERS, version="snap-1")
        first = producer.run("build_board", wants=[self.want], logical_key=f"board/{DAY}")
        first.queued()
        with first:
            first.input(REVENUE)
            (self.derived,) = first.dep_miss(missing=[REVENUE])
        with producer.run("build_revenue", wants=[self.derived]) as revenue:
            revenue.input(ORDERS)
            revenue.output(REVENUE)
        with producer.run("build_board", wants=[self.want], logical_key=f"board/{DAY}") as second:
            second.input(REVENUE)
            second.output(BOARD)
        self.load, self.first, self.revenue, self.second = load.run_id, first.run_id, revenue.run_id, second.run_id
        self.readers: set[str] = set()
        for _ in range(READERS):
            with producer.run("send_mail") as mail:
                mail.input(BOARD)
            self.readers.add(mail.run_id)
        self.unserved = producer.want([LineageDataset("s3://lake", "never")])


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, Built]]:
    directory = tmp_path_factory.mktemp("build")
    with collector(directory / "data") as url:
        producer = LineageProducer(url=url, job_namespace="builds", spool_dir=str(directory / "spool"))
        try:
            built = Built(producer)
            assert producer.flush(60)
            assert producer.stats().delivered == producer.stats().emitted
        finally:
            producer.shutdown()
        yield url, built


def get(url: str, *segments: str, **query: Any) -> Json:
    path = "/".join(quote(each, safe="") for each in segments)
    answer = httpx.get(f"{url}/api/{path}", params=query)
    assert answer.status_code == 200, answer.text
    found: Json = answer.json()
    return found


def instance(dataset: LineageDataset, version: str) -> str:
    """By the published rule, so that a build system can know it before it asks."""
    namespace = uuid5(NAMESPACE_URL, "urn:headwater:partition-instance")
    return str(uuid5(namespace, f"{dataset.namespace}\0{dataset.name}\0{version}"))


def test_the_want_is_a_tree_of_instances(address: tuple[str, Built]) -> None:
    url, built = address
    want = get(url, "wants", built.want)
    assert (want["comment"], want["truncated"]) == ("the board for monday", False)
    (work,) = want["jobRuns"]["items"]
    attempts = [(each["runId"], each["status"]) for each in work["attempts"]["items"]]
    assert attempts == [(built.first, "DepMiss"), (built.second, "Succeeded")]
    (partition,) = want["partitions"]["items"]
    assert partition["instance"]["uuid"] == instance(BOARD, f"~{built.second}")
    (below,) = want["derivativeWants"]["items"]
    assert (below["id"], below["spawnedBy"]["items"][0]["runId"]) == (built.derived, built.first)
    assert below["partitions"]["items"][0]["instance"]["uuid"] == instance(REVENUE, f"~{built.revenue}")
    assert get(url, "wants", built.unserved)["jobRuns"]["total"] == 0


def test_job_runs_resolve_their_reads_when_they_succeed(address: tuple[str, Built]) -> None:
    url, built = address
    missed, done = get(url, "job_runs", built.first), get(url, "job_runs", built.second)
    assert [each["status"] for each in missed["history"]] == ["Queued", "Running", "DepMiss"]
    assert [each["uuid"] for each in missed["read"]["items"]] == [None]
    assert [each["id"] for each in missed["derivativeWants"]["items"]] == [built.derived]
    assert [each["status"] for each in done["history"]] == ["Running", "Succeeded"]
    assert [each["uuid"] for each in done["read"]["items"]] == [instance(REVENUE, f"~{built.revenue}")]
    assert [each["uuid"] for each in done["wrote"]["items"]] == [instance(BOARD, f"~{built.second}")]
    assert [each["id"] for each in done["wants"]["items"]] == [built.want]
    read = get(url, "job_runs", built.revenue)["read"]["items"]
    assert [each["uuid"] for each in read] == [instance(ORDERS, "snap-1")]


def test_a_partition_and_its_readers_page_by_page(address: tuple[str, Built]) -> None:
    url, built = address
    board = get(url, "partitions", BOARD.namespace, BOARD.name)
    assert board["instance"]["uuid"] == instance(BOARD, f"~{built.second}")
    assert board["built_by"]["runId"] == built.second
    assert [each["uuid"] for each in board["built_by"]["read"]["items"]] == [instance(REVENUE, f"~{built.revenue}")]
    first = board["downstream"]
    assert (len(first["items"]), first["total"], first["more"]) == (100, READERS, READERS - 100)
    rest = get(url, "partitions", BOARD.namespace, BOARD.name, after=first["next"])["downstream"]
    runs = [each["runId"] for page in (first, rest) for each in page["items"]]
    assert (len(runs), set(runs), rest["next"]) == (READERS, built.readers, None)
    below = get(url, "partitions", REVENUE.namespace, REVENUE.name)["downstream"]["items"]
    assert [each["runId"] for each in below] == [built.second]


def test_the_command_line_says_the_same(address: tuple[str, Built]) -> None:
    url, built = address

    def said(*words: str) -> str:
        command = [sys.executable, "-m", "headwater.collector.cli", *words, "--api", url]
        return subprocess.run(command, env=clean_environment(), check=True, capture_output=True, text=True).stdout

    assert json.loads(said("want", built.want, "--json")) == get(url, "wants", built.want)
    wanted = get(url, "partitions", BOARD.namespace, BOARD.name)
    assert json.loads(said("partition", f"{BOARD.namespace}/{BOARD.name}", "--json")) == wanted
    assert json.loads(said("job-run", built.first, "--json")) == get(url, "job_runs", built.first)
    assert f"+{READERS - 100} more of {READERS}" in said("partition", BOARD.namespace, BOARD.name)


def test_the_openapi_document_has_them(address: tuple[str, Built]) -> None:
    url, _ = address
    paths = httpx.get(f"{url}/api/openapi.json").json()["paths"]
    assert {"/api/wants/{want_id}", "/api/partitions/{namespace}/{name}", "/api/job_runs/{run_id}"} <= paths.keys()
