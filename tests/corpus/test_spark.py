"""Spark: runs that never end, two runs for one write, symlinked tables, DROP under another path, Delta's versions."""

from __future__ import annotations

from headwater.shared.event import Name

from .files import SPARK, world_of

JOBS = "spark_jobs"


def file(path: str) -> Name:
    return Name("file", f"/project/lake/{path}")


async def test_a_start_without_an_end_is_running_and_reads_what_it_said() -> None:
    async with world_of(SPARK, "/dataframe/") as world:
        job = Name(JOBS, "sales_dataframe.map_partitions_parallel_collection")
        page = await world.questions.runs(job=job)
        assert {run["state"] for run in page["runs"]} == {"RUNNING"}
        assert {one["name"] for one in (await world.questions.job(job) or {})["inputs"]} == {
            "/project/lake/data/raw/orders", "/project/lake/data/mart/revenue_by_country",
        }  # fmt: skip


async def test_column_lineage_names_what_fed_the_mart() -> None:
    async with world_of(SPARK, "/dataframe/") as world:
        found = await world.questions.evidence(file("data/mart/revenue_by_country"))
        assert found["status"] == "published"
        edges = {edge["dataset"]["name"]: edge["grade"] for edge in found["edges"]}
        assert edges == {
            "/project/lake/data/raw/customers_csv": "declared", "/project/lake/data/raw/orders": "declared",
        }  # fmt: skip
        kinds = {one["type"] for sources in found["columns"].values() for one in sources}
        assert kinds == {"DIRECT", "INDIRECT"}


async def test_every_action_is_a_child_of_the_application() -> None:
    async with world_of(SPARK, "/sql/") as world:
        [application] = (await world.questions.runs(job=Name(JOBS, "sales_sql")))["runs"]
        page = await world.questions.runs(limit=1000)
        others = [run for run in page["runs"] if run["runId"] != application["runId"]]
        assert others
        for run in others:
            whole = await world.questions.run(run["runId"])
            assert whole is not None
            assert whole["parent"]["runId"] == whole["root"]["runId"] == application["runId"]


async def test_a_table_is_one_dataset_under_its_path_and_its_name() -> None:
    async with world_of(SPARK, "/tables/") as world:
        path = file("warehouse/shop.db/orders")
        found = await world.questions.dataset(Name("file:/project/lake/warehouse", "shop.orders"))
        assert found is not None
        assert found["canonical"] == {"namespace": path.namespace, "name": path.name}
        # The outer and the inner run of one CREATE TABLE AS SELECT both publish it, and both say what they read.
        assert len(found["committed"]) == 2
        assert {one["dataset"]["name"] for one in (await world.questions.upstream(path))["reached"]} == {
            "/project/lake/data/raw/orders"
        }


async def test_a_table_that_was_dropped_under_another_path_stands_where_it_was() -> None:
    """Spark's DROP doubles the schema in the path and in its symlink: nothing says that shop.db/shop.db/big_orders is
    shop.big_orders, so the names stay apart, and the odd one, never written, has no generation."""
    async with world_of(SPARK, "/tables/") as world:
        odd = await world.questions.dataset(file("warehouse/shop.db/shop.db/big_orders"))
        table = await world.questions.dataset(file("warehouse/shop.db/big_orders"))
        assert odd is not None
        assert table is not None
        assert (odd["deleted"], odd["current"], odd["committed"]) == (True, None, [])
        assert not table["deleted"]
        assert table["current"] is not None


async def test_delta_versions_are_generations() -> None:
    """Its MERGE says version 0 at START, which it reads, and 1 at COMPLETE, which it made."""
    async with world_of(SPARK, "/delta_loaded/") as world:
        orders = await world.questions.dataset(file("warehouse/d.db/orders"))
        assert orders is not None
        assert orders["current"] == "1"
        assert {one["version"] for one in orders["committed"]} == {"0", "1"}
        daily = await world.questions.evidence(file("warehouse/d.db/daily"), "0")
        pins = {(pin["dataset"]["name"], pin["version"], pin["grade"]) for pin in daily["inputs"]}
        assert pins == {("/project/lake/warehouse/d.db/orders", "0", "declared")}


async def test_the_same_application_again_is_the_same_jobs() -> None:
    async with world_of(SPARK) as world:
        counts = await world.questions.counts()
        jobs = {run["job"]["name"] for run in (await world.questions.runs(limit=10_000))["runs"]}
        assert counts["jobs"] == len(jobs)
        assert len((await world.questions.runs(job=Name(JOBS, "sales_sources")))["runs"]) == 2
