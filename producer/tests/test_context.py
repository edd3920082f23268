"""The current run across tasks, threads and processes."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import pytest
from hypothesis import given
from hypothesis import strategies as st

from headwater.producer import child_env, current_run, propagate, run
from headwater.producer._parent import Ancestry, RunRef, ancestry_from, environment_of, read_id, write_id
from headwater.producer.testing import capture_lineage

RUN = "01a22820-1d09-770c-9266-9960e1d98352"


def test_threads_see_the_run_by_propagate_alone() -> None:
    def inner() -> str | None:
        found = current_run()
        return found.run_id if found else None

    with capture_lineage(), ThreadPoolExecutor(4) as pool, run("outer") as handle:
        assert pool.submit(inner).result() is None
        assert {future.result() for future in [pool.submit(propagate(inner)) for _ in range(20)]} == {handle.run_id}
        assert pool.submit(inner).result() is None


async def test_propagate_keeps_coroutine_functions() -> None:
    async def inner() -> str | None:
        found = current_run()
        return found.run_id if found else None

    with capture_lineage():
        with run("outer") as handle:
            carried = propagate(inner)
        assert await carried() == handle.run_id
        assert current_run() is None


def test_a_run_in_a_thread_is_a_child() -> None:
    def work() -> None:
        with run("inner"):
            pass

    with capture_lineage() as events, ThreadPoolExecutor(1) as pool, run("outer") as outer:
        pool.submit(propagate(work)).result()
    inner = next(event for event in events if event["job"]["name"] == "inner")
    assert inner["run"]["facets"]["parent"]["run"]["runId"] == outer.run_id


CHILD = """
import json
from headwater.producer import run
from headwater.producer.testing import capture_lineage
with capture_lineage() as events, run("child"):
    pass
print(json.dumps(events[0]["run"]["facets"]["parent"]))
"""


@pytest.mark.parametrize("kept", [None, "OPENLINEAGE_PARENT_ID", "OPENLINEAGE_CONTEXT"])
def test_a_child_process_joins(environment: Callable[..., dict[str, str]], kept: str | None) -> None:
    with capture_lineage(), run("root/with%2Fslash", job_namespace="airflow://host/x") as root, run("day/1") as parent:
        said = child_env()
    if kept:
        said = {name: value for name, value in said.items() if name in (kept, "OPENLINEAGE_ROOT_PARENT_ID")}
    done = subprocess.run(
        [sys.executable, "-c", CHILD], env=environment(**said), capture_output=True, text=True, check=True
    )
    facet = json.loads(done.stdout)
    assert facet["run"]["runId"] == parent.run_id
    assert facet["job"] == {"namespace": "default", "name": "day/1"}
    assert facet["root"]["run"]["runId"] == root.run_id
    assert facet["root"]["job"] == {"namespace": "airflow://host/x", "name": "root/with%2Fslash"}


def test_child_env_is_empty_outside_a_run_and_where_lineage_is_off(monkeypatch: pytest.MonkeyPatch) -> None:
    assert child_env() == {}
    monkeypatch.setenv("OPENLINEAGE_DISABLED", "TRUE")
    with run("x"):
        assert child_env() == {}


def test_the_ids_of_other_producers_are_read() -> None:
    environ = {"OPENLINEAGE_PARENT_ID": f"airflow/nightly.dbt_build/{RUN}"}
    parent = RunRef("airflow", "nightly.dbt_build", RUN)
    assert ancestry_from(environ) == Ancestry(parent, parent)
    assert read_id(f"postgres://host:5432/db/job/{RUN}") == RunRef("postgres://host:5432/db", "job", RUN)


def test_context_comes_before_parent_id() -> None:
    said = {"run": {"runId": RUN}, "job": {"namespace": "airflow", "name": "logs"}}
    root = {"run": {"runId": "r"}, "job": {"namespace": "airflow", "name": "dag"}}
    environ = {
        "OPENLINEAGE_CONTEXT": json.dumps({"parent": {**said, "root": root}}),
        "OPENLINEAGE_PARENT_ID": "a/b/c",
    }
    assert ancestry_from(environ) == Ancestry(RunRef("airflow", "logs", RUN), RunRef("airflow", "dag", "r"))


@pytest.mark.parametrize("wrong", ["", "x", "a/b", "//", "a//b", "{", "[]", '{"parent": {}}', '{"parent": []}'])
def test_malformed_values_count_as_not_said(wrong: str) -> None:
    assert ancestry_from({"OPENLINEAGE_PARENT_ID": wrong}) is None
    assert ancestry_from({"OPENLINEAGE_CONTEXT": wrong}) is None


names = st.text(st.characters(exclude_categories=["Cs", "Cc"]), min_size=1).filter(lambda text: text.strip() == text)


@given(names, names, names, names)
def test_any_name_survives(namespace: str, name: str, root_namespace: str, root_name: str) -> None:
    ancestry = Ancestry(RunRef(namespace, name, RUN), RunRef(root_namespace, root_name, RUN))
    environ = environment_of(ancestry)
    assert ancestry_from(environ) == ancestry
    del environ["OPENLINEAGE_CONTEXT"]
    assert ancestry_from(environ) == ancestry
    assert write_id(ancestry.parent).count("/") == 2


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_a_forked_child_does_not_end_its_parents_run() -> None:
    with capture_lineage() as events:
        handle = run("parent")
        handle.__enter__()
        reader, writer = os.pipe()
        child = os.fork()
        if child == 0:
            handle.__exit__(None, None, None)
            os.write(writer, bytes([len(events)]))
            os._exit(0)
        os.waitpid(child, 0)
        seen_by_child = os.read(reader, 1)[0]
        os.close(reader), os.close(writer)
        handle.__exit__(None, None, None)
    assert seen_by_child == 1
    assert [event["eventType"] for event in events] == ["START", "COMPLETE"]
