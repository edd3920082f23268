"""Airflow: retries under new run ids, runs across DAGs and into Spark, failures that keep their outputs."""

from __future__ import annotations

from headwater.shared.event import Name

from .files import AIRFLOW, world_of

POSTGRES = "postgres://127.0.0.1:5432"


async def run_of(world, job: str, state: str | None = None):  # type: ignore[no-untyped-def]
    """The only run of that job, whole."""
    found = [run for run in (await world.questions.runs(limit=10_000))["runs"] if run["job"]["name"] == job]
    [run] = [run for run in found if state in (None, run["state"])]
    return await world.questions.run(run["runId"])


async def test_a_triggered_dag_runs_under_its_trigger() -> None:
    async with world_of(AIRFLOW, "/live/") as world:
        triggered, trigger = await run_of(world, "pg_shop"), await run_of(world, "trigger_it.go")
        assert triggered["parent"]["runId"] == trigger["runId"]
        assert triggered["root"]["job"]["name"] == "trigger_it"
        # Its failure is its own.
        assert (triggered["state"], trigger["state"]) == ("FAILED", "COMPLETED")


async def test_spark_under_airflow_keeps_the_outermost_root() -> None:
    async with world_of(AIRFLOW, "/live/") as world:
        application = await run_of(world, "sales_dataframe")
        assert application["parent"]["job"]["name"] == "pg_shop.spark_report"
        assert application["root"]["job"]["name"] == "trigger_it"


async def test_a_retry_is_the_second_attempt() -> None:
    async with world_of(AIRFLOW, "/dagstest_ok/") as world:
        failed = await run_of(world, "shop_daily.clean", "FAILED")
        good = await run_of(world, "shop_daily.clean", "COMPLETED")
        assert failed["logicalKey"] == good["logicalKey"]
        assert (failed["attempt"], good["attempt"]) == (1, 2)
        logical = await world.questions.logical_run(good["logicalKey"])
        assert logical["winner"] == good["runId"]
        evidence = await world.questions.evidence(Name("file", "/project/lake/data/clean/orders"))
        assert evidence["run"]["runId"] == good["runId"]
        assert failed["runId"] in {one["runId"] for one in evidence["diagnostics"]["attempts"]}


async def test_a_task_that_failed_is_never_the_parent_of_published_data() -> None:
    async with world_of(AIRFLOW, "/live/") as world:
        good = await run_of(world, "pg_shop.revenue", "COMPLETED")
        [revenue] = [one["dataset"] for one in good["outputs"]]
        name = Name(revenue["namespace"], revenue["name"])
        dataset = await world.questions.dataset(name)
        writers = {one["runId"] for one in dataset["committed"]}
        assert good["runId"] in writers
        for one in dataset["candidates"]:
            assert one["state"] == "FAILED"
            assert one["runId"] not in writers
        edges = {edge["dataset"]["name"] for edge in (await world.questions.evidence(name))["edges"]}
        assert edges == {"shopdb.public.orders", "shopdb.public.customers"}


async def test_a_dag_without_a_start_has_an_end_and_no_beginning() -> None:
    async with world_of(AIRFLOW, "/dagstest_ok/") as world:
        dag = await run_of(world, "shop_daily")
        assert (dag["state"], dag["started"]) == ("COMPLETED", None)
        assert dag["ended"]


async def test_a_task_that_fails_before_it_starts_is_failed() -> None:
    async with world_of(AIRFLOW, "/live/") as world:
        task = await run_of(world, "shop_daily.extract", "FAILED")
        assert (task["started"], task["contradiction"]) == (None, False)
        assert "ds" in task["error"]["message"]
