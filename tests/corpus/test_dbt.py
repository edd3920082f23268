"""dbt: seeds and CTE aliases in its column lineage, artifacts sent out of order, failures, parents."""

from __future__ import annotations

from headwater.shared.event import Name

from .files import DBT, entries, world_of

DATABASE = "duckdb:///project/warehouse.duckdb"
ORDER_AMOUNTS = Name(DATABASE, "warehouse.main_marts.order_amounts")
REVENUE = Name(DATABASE, "warehouse.main_marts.country_revenue")


def names(values: list[dict[str, str]]) -> set[str]:
    return {value["name"] for value in values}


async def test_a_seed_is_an_input_by_column_lineage_once_something_lists_it() -> None:
    """dbt never lists the seed `rates` among the inputs; its seed command in logs mode does as an output."""
    async with world_of(DBT, "/02-run/") as world:
        alone = await world.questions.evidence(ORDER_AMOUNTS)
        assert {edge["dataset"]["name"] for edge in alone["edges"]} == {"warehouse.main_staging.stg_orders"}
    async with world_of(DBT) as world:
        found = await world.questions.evidence(ORDER_AMOUNTS)
        assert found["status"] == "published"
        edges = {edge["dataset"]["name"]: edge["grade"] for edge in found["edges"]}
        assert set(edges) == {"warehouse.main_staging.stg_orders", "warehouse.main_raw.rates"}


async def test_a_cte_alias_is_no_dataset() -> None:
    async with world_of(DBT, "/06-run-after-failure/") as world:
        assert await world.questions.dataset(Name(DATABASE, "o")) is None
        sources = await world.questions.columns(ORDER_AMOUNTS, None, "amount_usd")
        assert {(one["dataset"]["name"], one["field"], one["resolved"]) for one in sources} >= {("o", "amount", False)}
        assert "o" not in {one["dataset"]["name"] for one in (await world.questions.upstream(REVENUE))["reached"]}


async def test_the_revenue_walks_back_to_what_was_read() -> None:
    async with world_of(DBT, "/02-run/") as world:
        reached = (await world.questions.upstream(REVENUE))["reached"]
        distances = {one["dataset"]["name"].rpartition(".")[2]: one["distance"] for one in reached}
        assert distances == {
            "customer_revenue": 1, "order_amounts": 2, "stg_customers": 2, "stg_orders": 3, "orders": 4, "customers": 3,
        }  # fmt: skip


async def test_a_failed_model_publishes_nothing_and_the_release_before_it_stays() -> None:
    async with world_of(DBT, "/02-run/") as world:
        before = (await world.questions.dataset(REVENUE) or {})["current"]
    raw = [entry.raw for entry in entries(DBT) if "/02-run/" in entry.origin or "/05-run-failing/" in entry.origin]
    async with world_of(DBT, "/02-run/") as world:
        await world.take([raw])
        after = await world.questions.dataset(REVENUE)
        assert after is not None
        assert after["current"] == before
        assert [one["state"] for one in after["candidates"]] == ["FAILED"]
        evidence = await world.questions.evidence(REVENUE)
        assert evidence["run"]["state"] == "COMPLETED"
        wrapper = await world.questions.runs(job=Name("shop-dbt", "dbt-run-shop"), status="FAILED")
        assert len(wrapper["runs"]) == 1


async def test_models_are_children_of_the_wrapper_and_of_the_orchestrator() -> None:
    async with world_of(DBT, "/17-run-with-parent/") as world:
        page = await world.questions.runs(job=Name("airflow", "nightly_models"))
        [wrapper] = page["runs"]
        whole = await world.questions.run(wrapper["runId"])
        assert whole is not None
        assert whole["parent"]["job"] == {"namespace": "airflow", "name": "nightly.dbt_build"}
        assert whole["root"]["job"] == {"namespace": "airflow", "name": "nightly"}
        orchestrator = await world.questions.run(whole["parent"]["runId"])
        assert orchestrator is not None
        assert orchestrator["state"] == "NEW"
        model = (await world.questions.runs(job=Name("shop-dbt", "warehouse.main_marts.shop.country_revenue")))["runs"][
            0
        ]
        assert (await world.questions.run(model["runId"]) or {})["parent"]["runId"] == wrapper["runId"]


async def test_the_wrapper_has_no_datasets_and_each_model_its_own() -> None:
    async with world_of(DBT, "/02-run/") as world:
        wrapper = await world.questions.job(Name("shop-dbt", "dbt-run-shop"))
        assert wrapper is not None
        assert wrapper["inputs"] == wrapper["outputs"] == []
        model = await world.questions.job(Name("shop-dbt", "warehouse.main_marts.shop.customer_revenue"))
        assert model is not None
        assert names(model["inputs"]) == {"warehouse.main_marts.order_amounts", "warehouse.main_staging.stg_customers"}
        assert names(model["outputs"]) == {"warehouse.main_marts.customer_revenue"}
