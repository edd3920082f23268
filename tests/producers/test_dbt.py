"""dbt on DuckDB through ``dbt-ol``: a seed, a build with its tests, a failing model; over HTTP and over Kafka."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from uuid import UUID

import pytest

from tests.producers.api import Api, names
from tests.producers.environments import PROJECTS
from tests.producers.pipelines import kafka_pipeline, up
from tests.producers.programs import run_program
from tests.servers.places import KafkaTopics

pytestmark = pytest.mark.producers

PARENT = UUID("01938a1c-0000-7000-8000-00000000dbdb")
LOGS = "--consume-structured-logs"
BUILD = ("build", "--exclude", "resource_type:seed")
BROKEN = ("run", "--select", "report", "--vars", "{break_report: true}", LOGS)
"""In the mode that says why a model failed; the other one, the default, has the columns."""


@dataclass(frozen=True)
class Shop:
    """A copy of the dbt project, with a warehouse of its own."""

    binaries: Path
    directory: Path

    @property
    def warehouse(self) -> Path:
        return self.directory / "warehouse.duckdb"

    @property
    def namespace(self) -> str:
        """Of its tables, as OpenLineage names them."""
        return f"duckdb://{self.warehouse}"

    def dbt(self, *arguments: str, status: int = 0, **transport: str) -> None:
        """``dbt-ol arguments``, which must end with this status."""
        env = {
            "DBT_PROFILES_DIR": str(self.directory),
            "SHOP_WAREHOUSE": str(self.warehouse),
            "OPENLINEAGE_NAMESPACE": "shop-dbt",
            "NO_COLOR": "1",
        }
        command = ["dbt-ol", *arguments]
        run_program(self.binaries, command, where=self.directory, env=env | transport, status=status)


@pytest.fixture(scope="module")
def shop(dbt: Path, tmp_path_factory: pytest.TempPathFactory) -> Shop:
    directory = tmp_path_factory.mktemp("dbt") / "shop"
    shutil.copytree(PROJECTS / "dbt", directory)
    return Shop(dbt, directory)


@pytest.fixture(scope="module")
def told(shop: Shop) -> Iterator[Api]:
    """A collector that dbt has told of a seed, a good build, and a run under a scheduler whose report failed."""
    with up(shop.directory.parent / "data") as api:
        http = {"OPENLINEAGE_URL": api.url}
        shop.dbt("seed", **http)
        shop.dbt(*BUILD, **http)
        shop.dbt(*BROKEN, status=1, **http, OPENLINEAGE_PARENT_ID=f"scheduler/nightly.dbt/{PARENT}")
        yield api


def test_every_call_is_a_run_of_the_project(told: Api) -> None:
    calls = told.runs("dbt-run-shop")
    assert [call["state"] for call in calls] == ["COMPLETED", "COMPLETED", "FAILED"]
    assert [call["parent"] and call["parent"]["runId"] for call in calls] == [None, None, str(PARENT)]


def test_every_node_runs_under_its_call(told: Api) -> None:
    build, broken = told.runs("dbt-run-shop")[1:]
    for model in ("paid_orders", "revenue_by_country", "report"):
        node = told.run(f"warehouse.main.shop.{model}.build.run")
        assert (node["state"], node["parent"]["runId"]) == ("COMPLETED", build["runId"])
    failed = told.run("model.shop.report")
    assert (failed["parent"]["runId"], failed["root"]["runId"]) == (broken["runId"], str(PARENT))


def test_tables_have_the_names_of_the_warehouse(told: Api, shop: Shop) -> None:
    tables = {name for namespace, name in told.datasets() if namespace == shop.namespace}
    models = {"paid_orders", "revenue_by_country", "report"}
    assert tables == {f"warehouse.main.{table}" for table in {"raw_orders", "raw_customers"} | models}


def test_models_are_made_from_what_they_select(told: Api, shop: Shop) -> None:
    assert told.edges(shop.namespace, "warehouse.main.report") == {"warehouse.main.revenue_by_country": "declared"}
    assert told.edges(shop.namespace, "warehouse.main.revenue_by_country") == {
        "warehouse.main.paid_orders": "declared",
        "warehouse.main.raw_customers": "declared",
    }


def test_columns_are_made_from_columns(told: Api, shop: Shop) -> None:
    assert told.columns(shop.namespace, "warehouse.main.revenue_by_country", "revenue") == {
        ("warehouse.main.paid_orders", "amount", None, None)
    }
    assert told.columns(shop.namespace, "warehouse.main.revenue_by_country", "country") == {
        ("warehouse.main.raw_customers", "country", None, None)
    }
    walked = told.get("columns", shop.namespace, "warehouse.main.report", "revenue")["sources"]
    assert [(one["dataset"]["name"], one["field"], one["distance"]) for one in walked["reached"]] == [
        ("warehouse.main.revenue_by_country", "revenue", 1),
        ("warehouse.main.paid_orders", "amount", 2),
        ("warehouse.main.raw_orders", "amount", 3),
    ]


def test_the_tests_say_what_they_found(told: Api) -> None:
    run = told.run("warehouse.main.shop.revenue_by_country.build.test")
    assert run["state"] == "COMPLETED"
    [own] = [one["facets"] for one in run["datasetFacets"] if one["side"] == "INPUT_OWN"]
    found = own["dataQualityAssertions"]["assertions"]
    assert {(one["assertion"], one.get("column"), one["success"]) for one in found} == {
        ("not_null", "country", True),
        ("unique", "country", True),
        ("no_negative_revenue", None, True),
    }


def test_the_failing_model_says_why_and_replaces_nothing(told: Api, shop: Shop) -> None:
    good, failed = told.run("warehouse.main.shop.report.build.run"), told.run("model.shop.report")
    assert failed["state"] == "FAILED"
    assert "no_such_column" in failed["error"]["message"]
    assert names(failed["outputs"]) == {"warehouse.main.report"}
    evidence = told.get("evidence", shop.namespace, "warehouse.main.report")
    assert (evidence["status"], evidence["run"]["runId"]) == ("published", good["runId"])
    assert [one["runId"] for one in told.get("datasets", shop.namespace, "warehouse.main.report")["candidates"]] == [
        failed["runId"]
    ]


def test_over_kafka_the_same_build_is_the_same_graph(shop: Shop, told: Api, tmp_path: Path, kafka_url: str) -> None:
    with KafkaTopics(kafka_url) as topics, kafka_pipeline(tmp_path / "kafka", topics) as kafka:
        prefix = "OPENLINEAGE__TRANSPORT__"
        transport = {
            f"{prefix}TYPE": "kafka",
            f"{prefix}TOPIC": kafka.topic,
            f"{prefix}CONFIG": f'{{"bootstrap.servers": "{kafka.bootstrap}"}}',
        }
        shop.dbt(*BUILD, **transport)
        shop.dbt(*BROKEN, status=1, **transport)
        assert kafka.drained()
        api = kafka.api
        assert [call["state"] for call in api.runs("dbt-run-shop")] == ["COMPLETED", "FAILED"]
        for table in ("paid_orders", "revenue_by_country", "report"):
            name = f"warehouse.main.{table}"
            assert api.edges(shop.namespace, name) == told.edges(shop.namespace, name)
        failed = api.run("model.shop.report")
        assert failed["state"] == "FAILED"
        assert "no_such_column" in failed["error"]["message"]
