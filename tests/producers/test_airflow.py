"""Airflow 3 with its OpenLineage provider, through headwater's transport: the shop's DAG by ``airflow dags test`` and
by a live scheduler. A task that fails once and is retried, one that joins two tables into one, one that fails."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from tests.producers.airflow import Airflow
from tests.producers.api import Api, names
from tests.producers.pipelines import up
from tests.servers.places import postgres_database

pytestmark = pytest.mark.producers

OVER = {"FAILED", "COMPLETED"}
DAG_PATIENCE_S = 600.0
TASKS = {"shop.clean", "shop.revenue", "shop.publish"}


@dataclass(frozen=True)
class Told:
    """A collector that an Airflow has told of one run of the DAG."""

    api: Api
    airflow: Airflow

    def table(self, name: str) -> str:
        return f"{self.airflow.database[1]}.public.{name}"

    @property
    def tables(self) -> str:
        """Their namespace."""
        return self.airflow.database[0]


@pytest.fixture(scope="module")
def home(airflow: Path, tmp_path_factory: pytest.TempPathFactory, postgres_url: str) -> Iterator[Airflow]:
    with postgres_database(postgres_url) as warehouse:
        made = Airflow(airflow, tmp_path_factory.mktemp("airflow") / "home", "", warehouse)
        made.prepare()
        yield made


def by_dags_test(airflow: Airflow, api: Api) -> None:
    airflow.run("dags", "test", "shop", "2026-01-06", status=1)
    api.until(dag_is_over, "the DAG run's end")


def by_live_scheduler(airflow: Airflow, api: Api) -> None:
    try:
        with airflow.live():
            api.until(dag_is_over, "the DAG run's end", DAG_PATIENCE_S)
    except AssertionError as error:
        raise AssertionError(f"{error}\n{airflow.said()}") from error


def dag_is_over(api: Api) -> bool:
    return api.jobs().get("shop", [""])[-1] in OVER


WAYS = {"dags_test": by_dags_test, "live": by_live_scheduler}


@pytest.fixture(scope="module", params=WAYS)
def told(request: pytest.FixtureRequest, home: Airflow, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Told]:
    (home.landing / "tried").unlink(missing_ok=True)
    with up(tmp_path_factory.mktemp(request.param) / "data") as api:
        airflow = replace(home, collector=api.url)
        WAYS[request.param](airflow, api)
        yield Told(api, airflow)


def test_the_dag_run_failed_and_its_tasks_run_under_it(told: Told) -> None:
    dag = told.api.run("shop")
    assert (dag["state"], dag["parent"]) == ("FAILED", None)
    for task in TASKS:
        for run in told.api.runs(task):
            assert run["parent"] == {"runId": dag["runId"], "job": {"namespace": "airflow-shop", "name": "shop"}}
            assert run["root"]["runId"] == dag["runId"]


def test_the_retry_is_the_second_attempt_and_wins(told: Told) -> None:
    failed, good = told.api.runs("shop.clean")
    assert (failed["state"], failed["attempt"]) == ("FAILED", 1)
    assert (good["state"], good["attempt"]) == ("COMPLETED", 2)
    assert failed["error"]["message"] == "the orders are not there yet"
    logical = told.api.get("logical-runs", good["logicalKey"])
    assert [attempt["runId"] for attempt in logical["attempts"]] == [failed["runId"], good["runId"]]
    assert logical["winner"] == good["runId"]
    evidence = told.api.get("evidence", "file", str(told.airflow.landing / "clean.csv"))
    assert (evidence["status"], evidence["run"]["runId"]) == ("published", good["runId"])


def test_the_failing_task_says_why(told: Told) -> None:
    failed = told.api.run("shop.publish")
    assert (failed["state"], failed["attempt"]) == ("FAILED", 1)
    assert failed["error"]["message"] == "the report has no readers"
    assert "ValueError" in failed["error"]["stackTrace"]
    assert (failed["inputs"], failed["outputs"]) == ([], [])


def test_tables_have_the_names_of_the_database(told: Told) -> None:
    files = {("file", str(told.airflow.landing / name)) for name in ("orders.csv", "clean.csv")}
    tables = {(told.tables, told.table(name)) for name in ("orders", "customers", "revenue")}
    assert told.api.datasets() == files | tables


def test_the_joined_table_is_made_from_both(told: Told) -> None:
    run = told.api.run("shop.revenue")
    assert names(run["inputs"]) == {told.table("orders"), told.table("customers")}
    assert names(run["outputs"]) == {told.table("revenue")}
    assert told.api.edges(told.tables, told.table("revenue")).keys() == {told.table("orders"), told.table("customers")}
    generation = f"~{run['runId']}"
    for column, source in (("country", ("customers", "country")), ("revenue", ("orders", "amount"))):
        found = told.api.get("columns", told.tables, told.table("revenue"), column, generation=generation)["inputs"]
        assert {(one["dataset"]["name"], one["field"]) for one in found} == {(told.table(source[0]), source[1])}


def test_what_else_there_is(told: Told, request: pytest.FixtureRequest) -> None:
    """A live scheduler names the DAG and its tasks and nothing else. ``dags test`` runs all tasks in one process, so
    that the queries of one are told again under the next, as runs of jobs of their own."""
    more = told.api.jobs().keys() - TASKS - {"shop"}
    if request.node.callspec.params["told"] == "live":
        assert not more
        made_by = told.api.get("evidence", told.tables, told.table("revenue"))["run"]
        assert made_by["job"]["name"] == "shop.revenue"
        assert told.api.run("shop")["started"]
        return
    publish = told.api.run("shop.publish")
    assert more == {"shop.publish.query.1", "shop.publish.query.2"}
    for job in more:
        assert {run["parent"]["runId"] for run in told.api.runs(job)} == {publish["runId"]}
