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
        configured = [part for key, value in settings(spark_agent, api.url).items() for part in ("--conf", f"{key}={value}")]
        submit = ["spark-submit", "--master", "local[2]", "--driver-memory", "1g", *configured]
        program = [str(PROJECTS / "spark" / "sales.py"), str(place / "sources"), str(place / "warehouse")]
        done = run_program(spark, [*submit, *program], where=place, env={"SPARK_LOCAL_IP": "127.0.0.1"})
        assert done.status == 0, done.said
        yield api


def test_look(told: Api) -> None:
    for e in told.events():
        print(e['eventTime'], e['eventType'], e['run']['runId'][-6:], e['job']['name'], [x['name'] for x in e['inputs']], [x['name'] for x in e['outputs']], sorted(e['run']['facets']))
    print(told.jobs(), told.datasets())
    for n, d in told.datasets():
        print(n, d, told.edges(n, d))
        for c in ("country", "revenue", "best"):
            print(told.columns(n, d, c))
    print(told.runs("sales"))
