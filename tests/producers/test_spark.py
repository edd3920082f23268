"""PySpark in local mode with OpenLineage's agent: two tables read, one written, one write that fails."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.producers.api import Api, names
from tests.producers.environments import PROJECTS
from tests.producers.pipelines import up
from tests.producers.programs import run_program

pytestmark = pytest.mark.producers

ORDERS = "1,10,19.5,paid\n2,11,5.0,paid\n3,10,7.25,open\n"
CUSTOMERS = "10,Ada,GB\n11,Grace,US\n"
AIRFLOW_TASK = "01938a1c-0000-7000-8000-00000000a1a1"
AIRFLOW_DAG = "01938a1c-0000-7000-8000-00000000a1a0"


def settings(jars: Path, url: str) -> dict[str, str]:
    """Those of spark-submit: the agent, where it sends to, and the task that it runs under."""
    [agent] = jars.glob("openlineage-spark_*.jar")
    return {
        "spark.jars": str(agent),
        "spark.extraListeners": "io.openlineage.spark.agent.OpenLineageSparkListener",
        "spark.openlineage.transport.type": "http",
        "spark.openlineage.transport.url": url,
        "spark.openlineage.transport.compression": "gzip",
        "spark.openlineage.namespace": "spark-sales",
        "spark.openlineage.parentJobNamespace": "airflow-shop",
        "spark.openlineage.parentJobName": "shop.spark",
        "spark.openlineage.parentRunId": AIRFLOW_TASK,
        "spark.openlineage.rootParentJobNamespace": "airflow-shop",
        "spark.openlineage.rootParentJobName": "shop",
        "spark.openlineage.rootParentRunId": AIRFLOW_DAG,
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.driver.host": "127.0.0.1",
        "spark.ui.enabled": "false",
        "spark.sql.shuffle.partitions": "2",
    }


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    directory = tmp_path_factory.mktemp("spark")
    for table, rows in (("orders", ORDERS), ("customers", CUSTOMERS)):
        (directory / "sources" / table).mkdir(parents=True)
        (directory / "sources" / table / "part-0.csv").write_text(rows)
    return directory


@pytest.fixture(scope="module")
def told(spark: Path, spark_agent: Path, place: Path) -> Iterator[Api]:
    with up(place / "data") as api:
        said = settings(spark_agent, api.url).items()
        configured = [part for key, value in said for part in ("--conf", f"{key}={value}")]
        submit = ["spark-submit", "--master", "local[2]", "--driver-memory", "1g", *configured]
        program = [str(PROJECTS / "spark" / "sales.py"), str(place / "sources"), str(place / "warehouse")]
        run_program(spark, [*submit, *program], where=place, env={"SPARK_LOCAL_IP": "127.0.0.1"})
        yield api


def test_the_application_runs_under_the_task_that_submitted_it(told: Api) -> None:
    application = told.run("sales")
    assert application["state"] == "COMPLETED"
    assert application["parent"] == {"runId": AIRFLOW_TASK, "job": {"namespace": "airflow-shop", "name": "shop.spark"}}
    assert application["root"] == {"runId": AIRFLOW_DAG, "job": {"namespace": "airflow-shop", "name": "shop"}}
    assert (application["engine"]["name"], application["engine"]["version"]) == ("spark", "3.5.9")


def test_every_action_runs_under_the_application(told: Api) -> None:
    application = told.run("sales")
    actions = [run for run in told.runs() if run["job"]["name"].startswith("sales.")]
    assert {run["parent"]["runId"] for run in actions} == {application["runId"]}
    assert {run["root"]["runId"] for run in actions} == {AIRFLOW_DAG}


def test_tables_are_the_folders_they_lie_in(told: Api, place: Path) -> None:
    """A table of Spark's catalogue has a name there too: the same dataset."""
    sources = {str(place / "sources" / name) for name in ("orders", "customers")}
    made = {str(place / "warehouse" / name) for name in ("revenue", "report")}
    catalogued = (f"file:{place / 'warehouse'}", "default.revenue")
    assert told.datasets() - {catalogued} == {("file", name) for name in sources | made}
    by_folder = told.get("datasets", "file", str(place / "warehouse" / "revenue"))
    by_table = told.get("datasets", *catalogued)
    assert by_folder | {"name": by_table["name"]} == by_table


def test_the_written_table_is_made_from_both(told: Api, place: Path) -> None:
    """Spark tells one write as two runs, the statement and the plan within it; either says the whole."""
    revenue, sources = str(place / "warehouse" / "revenue"), place / "sources"
    assert told.edges("file", revenue) == {
        str(sources / "orders"): "declared",
        str(sources / "customers"): "declared",
    }
    statement = "sales.execute_create_data_source_table_as_select_command.default_revenue"
    for job in (statement, "sales.adaptive_spark_plan.warehouse_revenue"):
        run = told.run(job)
        assert (run["state"], names(run["outputs"])) == ("COMPLETED", {revenue})
        assert names(run["inputs"]) == {str(sources / "orders"), str(sources / "customers")}
    evidence = told.get("evidence", "file", revenue)
    assert evidence["status"] == "published"
    assert [field["name"] for field in evidence["schema"]] == ["country", "revenue", "best"]


def test_columns_are_made_from_columns(told: Api, place: Path) -> None:
    orders, customers = (str(place / "sources" / name) for name in ("orders", "customers"))
    for_every_row = {
        (orders, "customer_id", "INDIRECT", "JOIN"),
        (customers, "customer_id", "INDIRECT", "JOIN"),
        (orders, "status", "INDIRECT", "FILTER"),
        (customers, "country", "INDIRECT", "GROUP_BY"),
    }
    direct = {
        "country": (customers, "country", "DIRECT", "IDENTITY"),
        "revenue": (orders, "amount", "DIRECT", "AGGREGATION"),
        "best": (customers, "name", "DIRECT", "AGGREGATION"),
    }
    for column, source in direct.items():
        assert told.columns("file", str(place / "warehouse" / "revenue"), column) == for_every_row | {source}


def test_the_failed_write_publishes_nothing(told: Api, place: Path) -> None:
    """Spark says FAIL, and milliseconds later COMPLETE for the same run."""
    run = told.run("sales.execute_insert_into_hadoop_fs_relation_command.warehouse_report")
    assert [one["type"] for one in run["history"] if one["type"] != "RUNNING"] == ["START", "FAIL", "COMPLETE"]
    assert (run["state"], run["contradiction"]) == ("FAILED", True)
    assert "the report has no readers" in run["error"]["stackTrace"]
    report = told.get("datasets", "file", str(place / "warehouse" / "report"))
    assert report["committed"] == []
    assert [one["runId"] for one in report["candidates"]] == [run["runId"]]
