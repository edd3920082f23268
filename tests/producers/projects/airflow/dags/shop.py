"""A shop's day: a task that fails once and is retried, one that reads two tables and writes one, and one that always
fails."""

from __future__ import annotations

import os
from datetime import datetime, timedelta
from pathlib import Path

from airflow.providers.common.sql.operators.sql import SQLExecuteQueryOperator
from airflow.sdk import DAG, Asset, task

LANDING = Path(os.environ["SHOP_LANDING"])
ORDERS = Asset(uri=f"file://{LANDING}/orders.csv", name="orders")
CLEAN = Asset(uri=f"file://{LANDING}/clean.csv", name="clean")

REVENUE = """
CREATE TABLE revenue AS
SELECT customers.country, sum(orders.amount) AS revenue
FROM orders JOIN customers ON customers.customer_id = orders.customer_id
GROUP BY customers.country
"""

with DAG(
    "shop",
    schedule="@once",
    start_date=datetime(2026, 1, 1),
    catchup=False,
    tags=["shop"],
    default_args={"owner": "data-team", "retries": 0, "retry_delay": timedelta(seconds=1)},
):

    @task(retries=1, inlets=[ORDERS], outlets=[CLEAN])
    def clean() -> None:
        """Fails at its first try, as a source that is not ready yet makes it."""
        first = LANDING / "tried"
        if not first.exists():
            first.touch()
            raise RuntimeError("the orders are not there yet")
        (LANDING / "clean.csv").write_text("cleaned\n")

    revenue = SQLExecuteQueryOperator(task_id="revenue", conn_id="shop", sql=["DROP TABLE IF EXISTS revenue", REVENUE])

    @task
    def publish() -> None:
        raise ValueError("the report has no readers")

    clean() >> revenue >> publish()
