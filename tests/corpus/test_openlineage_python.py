"""openlineage-python and the examples of the standard: explicit lineage, times of many forms, renames, odd names."""

from __future__ import annotations

from headwater.shared.event import Name

from .files import PYTHON, world_of

LAKE, SHOP = "s3://lake", "postgres://db.example.com:5432"


async def test_explicit_lineage_says_which_input_fed_which_output() -> None:
    async with world_of(PYTHON) as world:
        edges = {}
        for output in ("warehouse/a", "warehouse/b", "warehouse/generated"):
            found = await world.questions.evidence(Name(LAKE, output))
            edges[output] = {(edge["dataset"]["name"], edge["grade"]) for edge in found["edges"]}
        assert edges["warehouse/a"] == {("shop.public.orders", "declared")}
        assert ("shop.public.rates", "declared") in edges["warehouse/b"]
        assert edges["warehouse/generated"] == set()


async def test_a_stream_whose_times_have_three_forms_is_one_running_run() -> None:
    async with world_of(PYTHON) as world:
        [run] = [
            run
            for run in (await world.questions.runs(limit=1000))["runs"]
            if run["job"]["name"] == "clicks-to-sessions"
        ]
        assert run["state"] == "RUNNING"
        assert run["started"] == "2026-11-28T03:05:00.5Z"
        assert run["lastSeen"] == "2026-11-28T03:15:00Z"


async def test_a_run_id_in_capitals_is_the_same_run() -> None:
    async with world_of(PYTHON) as world:
        run = await world.questions.run("C854365E-B3AF-4A90-8B46-09EE598CE12A")
        assert run is not None
        assert run["job"]["name"] == "ids"


async def test_what_was_renamed_and_dropped_is_gone_under_both_names() -> None:
    async with world_of(PYTHON) as world:
        found = await world.questions.dataset(Name(SHOP, "shop.public.tmp"))
        assert found is not None
        assert found["deleted"]


async def test_a_failed_retry_leaves_nothing_published() -> None:
    async with world_of(PYTHON) as world:
        found = [
            run for run in (await world.questions.runs(limit=1000))["runs"] if run["job"]["name"] == "nightly.report"
        ]
        assert {run["state"] for run in found} == {"FAILED", "RUNNING"}
        evidence = await world.questions.evidence(Name("bigquery", "proj.finance.revenue"))
        assert evidence["status"] in ("candidate", "unknown")
        failed = next(run for run in found if run["state"] == "FAILED")
        assert (await world.questions.run(failed["runId"]) or {})["error"]["message"]


async def test_a_parent_does_not_take_its_child_s_failure() -> None:
    async with world_of(PYTHON) as world:
        states = {run["job"]["name"]: run["state"] for run in (await world.questions.runs(limit=1000))["runs"]}
        assert (states["nightly"], states["nightly.group"], states["nightly.group.orders"]) == (
            "COMPLETED", "FAILED", "COMPLETED",
        )  # fmt: skip


async def test_a_run_without_event_type_is_new() -> None:
    async with world_of(PYTHON) as world:
        states = {run["job"]["name"]: run["state"] for run in (await world.questions.runs(limit=1000))["runs"]}
        assert states["never_ends"] == "NEW"


async def test_the_apples_of_marquez_make_their_pie() -> None:
    async with world_of("marquez", "/apples/") as world:
        pie = Name("food", "apple.pie")
        [found] = [name for name in await _datasets(world) if name.name == "apple.pie"]
        reached = (await world.questions.upstream(found))["reached"]
        assert {one["dataset"]["name"]: one["distance"] for one in reached} == {
            "apple.filling": 1, "apples": 2, "cinnamon": 2, "sugar": 2, "crab.apples": 3,
        }, pie  # fmt: skip


async def _datasets(world) -> list[Name]:  # type: ignore[no-untyped-def]
    page = await world.questions.runs(limit=1000)
    names = set()
    for run in page["runs"]:
        whole = await world.questions.run(run["runId"])
        names |= {Name(**one["dataset"]) for side in ("inputs", "outputs") for one in whole[side]}
    return sorted(names)


async def test_two_joined_tables_feed_one_by_columns() -> None:
    async with world_of("compatibility-tests", "/CLL/") as world:
        [output] = [name for name in await _datasets(world) if name.name.endswith("/tbl1")]
        found = await world.questions.evidence(output)
        assert found["status"] == "published"
        assert {edge["grade"] for edge in found["edges"]} == {"declared"}
        assert len(found["edges"]) == 2
        assert found["columns"]
