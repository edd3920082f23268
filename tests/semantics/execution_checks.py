"""The expectation keys of wants, job runs and partition instances (rules 19 to 22)."""

from __future__ import annotations

from typing import Any
from uuid import NAMESPACE_URL, uuid5

from headwater.collector.questions import Questions
from headwater.shared.codec import run_uuid as as_uuid
from headwater.shared.event import Name

from .scenarios import dataset, generation, run_uuid

Json = dict[str, Any]
_INSTANCES = uuid5(NAMESPACE_URL, "urn:headwater:partition-instance")


def _same(what: str, actual: object, expected: object) -> None:
    assert actual == expected, f"{what}: is {actual!r}, must be {expected!r}"


def _uuid(name: Name, version: str | None) -> str | None:
    """By the words of rule 22."""
    return None if version is None else str(uuid5(_INSTANCES, f"{name.namespace}\0{name.name}\0{version}"))


def _instance(one: Json | None) -> tuple[Name, str | None] | None:
    """A mention of an instance, its UUID checked."""
    if one is None:
        return None
    name = Name(**one["dataset"])
    if one["uuid"] is not None:
        _same(f"UUID of {name} {one['version']}", one["uuid"], _uuid(name, one["version"]))
    return name, one["version"] if one["uuid"] is not None else None


def _all(what: str, page: Json) -> list[Json]:
    """A list that is there whole."""
    _same(f"rest of {what}", (page["more"], page["next"]), (0, None))
    items: list[Json] = page["items"]
    return items


def _read(said: dict[str, str | None]) -> set[tuple[Name, str | None]]:
    return {(dataset(ref)[0], generation(version)) for ref, version in said.items()}


def _runs(names: list[str]) -> set[str]:
    return {run_uuid(name) for name in names}


async def wants(questions: Questions, expect: dict[str, Json]) -> None:
    """Per want; its id is the short one, which becomes a UUID."""
    for short, said in expect.items():
        found = await questions.want(short)
        if said.get("none"):
            _same(f"want {short}", found, None)
            continue
        assert found is not None, f"want {short} is not known"
        await _want(short, found, said)


async def _want(short: str, found: Json, said: Json) -> None:
    what = f"want {short}"
    unknown = set(said) - {"comment", "partitions", "served", "spawned_by", "derived", "runs"}
    assert not unknown, f"{what}: the runner does not know how to compare {sorted(unknown)}"
    _same(f"id of {what}", found["id"], as_uuid(short))
    if "comment" in said:
        _same(f"comment of {what}", found["comment"], said["comment"])
    if "partitions" in said:
        listed = _all(what, found["partitions"])
        actual = {Name(one["namespace"], one["name"]): one["instance"] for one in listed}
        _same(
            f"partitions of {what}",
            {name: _instance(one) for name, one in actual.items()},
            {dataset(ref)[0]: made and dataset(made) for ref, made in said["partitions"].items()},
        )
        for_it = {name for name, one in actual.items() if one and one["forThisWant"]}
        if "served" in said:
            _same(f"partitions made for {what}", for_it, {dataset(ref)[0] for ref in said["served"]})
    if "spawned_by" in said:
        spawners = {one["runId"] for one in _all(what, found["spawnedBy"])}
        _same(f"what spawned {what}", spawners, _runs(said["spawned_by"]))
    if "runs" in said:
        actual_runs = sorted(
            (one["status"], [[run["runId"], run["status"]] for run in _all(what, one["attempts"])])
            for one in _all(what, found["jobRuns"])
        )
        wanted = sorted((status, [[run_uuid(run), each] for run, each in runs]) for status, runs in said["runs"])
        _same(f"job runs of {what}", actual_runs, wanted)
        _same(f"number of job runs of {what}", found["jobRuns"]["total"], sum(len(runs) for _, runs in said["runs"]))
    if "derived" in said:
        below = {one["id"]: one for one in _all(what, found["derivativeWants"])}
        _same(f"wants derived from {what}", set(below), {as_uuid(each) for each in said["derived"]})
        for each, inner in said["derived"].items():
            if inner is None:
                _same(f"want {each} under {what}", below[as_uuid(each)]["expanded"], False)
            else:
                await _want(each, below[as_uuid(each)], inner)


async def job_runs(questions: Questions, expect: dict[str, Json]) -> None:
    for short, said in expect.items():
        what = f"job run {short}"
        found = await questions.job_run(run_uuid(short))
        assert found is not None, f"{what} is not known"
        unknown = set(said) - {"status", "history", "wants", "read", "wrote", "missing", "derived"}
        assert not unknown, f"{what}: the runner does not know how to compare {sorted(unknown)}"
        if "status" in said:
            _same(f"status of {what}", found["status"], said["status"])
        if "history" in said:
            _same(f"history of {what}", [one["status"] for one in found["history"]], said["history"])
        for key, name in (("wants", "wants"), ("derived", "derivativeWants")):
            if key in said:
                ids = {one["id"] for one in _all(what, found[name])}
                _same(f"{name} of {what}", ids, {as_uuid(each) for each in said[key]})
        if "read" in said:
            _same(f"reads of {what}", {_instance(one) for one in _all(what, found["read"])}, _read(said["read"]))
        if "wrote" in said:
            wrote = {_instance(one) for one in _all(what, found["wrote"])}
            _same(f"writes of {what}", wrote, {dataset(ref) for ref in said["wrote"]})
        if "missing" in said:
            missing = {Name(**one) for one in _all(what, found["missing"])}
            _same(f"missing of {what}", missing, {dataset(ref)[0] for ref in said["missing"]})


async def instances(questions: Questions, expect: dict[str, Json]) -> None:
    """Per partition (its canonical instance) or ``partition@version``."""
    for ref, said in expect.items():
        what, (name, version) = f"instance {ref}", dataset(ref)
        found = await questions.instance(name, version)
        known = {"status", "instance", "canonical", "run", "read", "upstream", "downstream", "older"}
        assert not set(said) - known, f"{what}: the runner does not know how to compare {sorted(set(said) - known)}"
        if "status" in said:
            _same(f"status of {what}", found["status"], said["status"])
        if "canonical" in said:
            _same(f"canonical {what}", found["canonical"], said["canonical"])
        if "instance" in said:
            _same(what, _instance(found["instance"]), said["instance"] and dataset(said["instance"]))
        built = found["built_by"]
        if "run" in said:
            _same(f"builder of {what}", built and built["runId"], said["run"] and run_uuid(said["run"]))
        if "read" in said:
            read = {_instance(one) for one in _all(what, built["read"])}
            _same(f"reads behind {what}", read, _read(said["read"]))
        if "upstream" in said:
            up = {_instance(one) for one in _all(what, found["upstream"])}
            _same(f"upstream of {what}", up, {dataset(one) for one in said["upstream"]})
        if "downstream" in said:
            down = {
                one["runId"]: {_instance(made) for made in _all(what, one["instances"])}
                for one in _all(what, found["downstream"])
            }
            wanted = {run_uuid(run): {dataset(made) for made in each} for run, each in said["downstream"].items()}
            _same(f"downstream of {what}", down, wanted)
        if "older" in said:
            older = [one["version"] for one in _all(what, found["older"])]
            _same(f"older than {what}", older, [generation(one) for one in said["older"]])
            _same(f"number older than {what}", found["older"]["total"], len(said["older"]))
