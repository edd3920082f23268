"""One function for each expectation key of README.md: it compares through the public readers and names what differs."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

from headwater.collector.questions import Questions
from headwater.shared.event import Name

from .execution_checks import instances, job_runs, wants
from .scenarios import column, dataset, generation, run_uuid

Check = Callable[[Questions, Any], Awaitable[None]]


def _name(value: dict[str, Any]) -> Name:
    return Name(value["namespace"], value["name"])


def _names(values: list[dict[str, Any]]) -> set[Name]:
    return {_name(value) for value in values}


def _refs(refs: list[str]) -> set[Name]:
    return {dataset(ref)[0] for ref in refs}


def _same(what: str, actual: object, expected: object) -> None:
    assert actual == expected, f"{what}: is {actual!r}, must be {expected!r}"


def _only_known(what: str, expected: dict[str, Any], known: set[str]) -> None:
    unknown = set(expected) - known
    assert not unknown, f"{what}: the runner does not know how to compare {sorted(unknown)}"


async def runs(questions: Questions, expect: dict[str, dict[str, Any]]) -> None:
    for short, said in expect.items():
        what = f"run {short}"
        run = await questions.run(run_uuid(short))
        assert run is not None, f"{what} is not known"
        _only_known(what, said, {"state", "contradiction", "started", "ended", "parent", "root", "logical", "attempt"})
        for key in ("state", "contradiction", "started", "ended", "attempt"):
            if key in said:
                _same(f"{what} {key}", run[key], said[key])
        for key in ("parent", "root"):
            if key in said:
                linked = said[key] and run_uuid(said[key])
                _same(f"{what} {key}", run[key] and run[key]["runId"], linked)
        if "logical" in said:
            _same(f"{what} logical", run["logicalKey"], said["logical"])


async def job_edges(questions: Questions, expect: dict[str, dict[str, list[str]]]) -> None:
    for short, said in expect.items():
        job = await questions.job(Name("jobs", short))
        assert job is not None, f"job {short} is not known"
        _only_known(f"job {short}", said, {"inputs", "outputs"})
        for side, refs in said.items():
            _same(f"job {short} {side}", _names(job[side]), _refs(refs))


async def design(questions: Questions, expect: dict[str, dict[str, list[str]]]) -> None:
    for short, said in expect.items():
        job = await questions.job(Name("jobs", short))
        assert job is not None, f"job {short} is not known"
        _only_known(f"design of {short}", said, {"inputs", "outputs"})
        for side, refs in said.items():
            _same(
                f"design of {short} {side}", _names((job["design"] or {"inputs": [], "outputs": []})[side]), _refs(refs)
            )


async def generations(questions: Questions, expect: dict[str, dict[str, Any]]) -> None:
    for ref, said in expect.items():
        found = await questions.dataset(dataset(ref)[0])
        assert found is not None, f"dataset {ref} is not known"
        _only_known(f"generations of {ref}", said, {"current", "committed", "candidates", "withdrawn", "bad"})
        for kind in ("withdrawn", "bad"):
            if kind in said:
                marked = {one["version"] for one in found["committed"] if one[kind]}
                _same(f"{ref} {kind}", marked, {generation(version) for version in said[kind]})
        if "current" in said:
            _same(f"{ref} current", found["current"], generation(said["current"]))
        if "committed" in said:
            committed = [one["version"] for one in found["committed"]]
            _same(f"{ref} committed", committed, [generation(version) for version in said["committed"]])
        if "candidates" in said:
            candidates = {one["version"] for one in found["candidates"]}
            _same(f"{ref} candidates", candidates, {generation(version) for version in said["candidates"]})


async def evidence(questions: Questions, expect: dict[str, dict[str, Any]]) -> None:
    for ref, said in expect.items():
        found = await questions.evidence(*dataset(ref))
        _only_known(
            f"evidence of {ref}", said,
            {"run", "attempt", "code", "inputs", "conflict", "none", "generation", "withdrawn", "bad", "marks"},
        )  # fmt: skip
        if "generation" in said:
            _same(f"evidence of {ref} generation", found["generation"], generation(said["generation"]))
        for kind in ("withdrawn", "bad"):
            if kind in said:
                _same(f"evidence of {ref} {kind}", found[kind] and found[kind]["reason"], said[kind])
        if "marks" in said:
            _same(f"marks of {ref}", [[one["kind"], one["stands"]] for one in found["marks"]], said["marks"])
        if said.get("none"):
            assert found["status"] in ("candidate", "unknown"), f"evidence of {ref} is {found['status']}"
            continue
        if "conflict" in said:
            _same(f"evidence of {ref} status", found["status"], "conflict")
            _same(f"conflict of {ref}", set(found["conflict"]), {run_uuid(run) for run in said["conflict"]})
            continue
        _same(f"evidence of {ref} status", found["status"], "published")
        run = found["run"]
        if "run" in said:
            _same(f"evidence of {ref} run", run["runId"], run_uuid(said["run"]))
        if "attempt" in said:
            _same(f"evidence of {ref} attempt", run["attempt"], said["attempt"])
        if "code" in said:
            _same(f"evidence of {ref} code", (run["code"] or {}).get("version"), said["code"])
        pins = {(_name(pin["dataset"]), pin["version"], pin["grade"]) for pin in found["inputs"]}
        for input_ref, pin in said.get("inputs", {}).items():
            expected = (dataset(input_ref)[0], generation(pin["version"]), pin["grade"])
            assert expected in pins, f"evidence of {ref} has no input {expected}, but {sorted(pins, key=repr)}"


async def edges(questions: Questions, expect: dict[str, list[list[str]]]) -> None:
    for ref, said in expect.items():
        found = await questions.evidence(*dataset(ref))
        actual = sorted(((_name(edge["dataset"]), edge["version"], edge["grade"]) for edge in found["edges"]), key=repr)
        expected = sorted(((*dataset(source), grade) for source, grade in said), key=repr)
        _same(f"edges of {ref}", actual, expected)


async def columns(questions: Questions, expect: dict[str, list[list[str]]]) -> None:
    for ref, said in expect.items():
        found = await questions.columns(*column(ref))
        actual = {(_name(one["dataset"]), one["field"], one["type"], one["resolved"]) for one in found}
        expected = set()
        for source, kind, *rest in said:
            name, _, field = column(source)
            expected.add((name, field, kind, "unresolved" not in rest))
        _same(f"columns of {ref}", actual, expected)


async def _walk(what: str, found: dict[str, Any], said: list[list[Any]]) -> None:
    """[reference, distance] or [reference, distance, "possible"]. Where one says possible, the others are certain."""
    graded = any(len(one) > 2 for one in said)
    assert not found["truncated"], f"{what} is truncated"
    actual = sorted(
        (
            (_name(one["dataset"]), one["version"], one["distance"], one["possible"] if graded else None)
            for one in found["reached"]
        ),
        key=repr,
    )
    expected = sorted(
        ((*dataset(ref), far, ("possible" in rest) if graded else None) for ref, far, *rest in said), key=repr
    )
    _same(what, actual, expected)


async def upstream(questions: Questions, expect: dict[str, list[list[Any]]]) -> None:
    for ref, said in expect.items():
        await _walk(f"upstream of {ref}", await questions.upstream(*dataset(ref)), said)


async def downstream(questions: Questions, expect: dict[str, list[list[Any]]]) -> None:
    for ref, said in expect.items():
        await _walk(f"downstream of {ref}", await questions.impact(*dataset(ref)), said)


async def tainted(questions: Questions, expect: dict[str, list[str]]) -> None:
    for ref, said in expect.items():
        found = await questions.impact(*dataset(ref))
        actual = {(_name(one["dataset"]), one["version"]) for one in found["reached"] if one["tainted"]}
        _same(f"tainted by {ref}", actual, {dataset(one) for one in said})
        _same(f"number tainted by {ref}", found["tainted"], len(said))


async def tainted_by(questions: Questions, expect: dict[str, list[str]]) -> None:
    for ref, said in expect.items():
        found = await questions.upstream(*dataset(ref))
        actual = {(_name(one["dataset"]), one["version"]) for one in found["taintedBy"]}
        _same(f"what taints {ref}", actual, {dataset(one) for one in said})


async def consumers(questions: Questions, expect: dict[str, list[list[Any]]]) -> None:
    """Per generation: [run, the generation that it read, distance]."""
    for ref, said in expect.items():
        found = await questions.impact(*dataset(ref), consumers=True)
        actual = {
            (one["runId"], _name(one["dataset"]), one["version"], one["distance"]) for one in found["consumers"]["runs"]
        }
        _same(f"consumers of {ref}", actual, {(run_uuid(run), *dataset(read), far) for run, read, far in said})


async def partitions(questions: Questions, expect: dict[str, dict[str, Any]]) -> None:
    """Per ``dataset?dimension=value`` or ``dataset@version?dimension=value``."""
    for ref, said in expect.items():
        about, _, values = ref.partition("?")
        name, version = dataset(about)
        part = values.split("&")
        _only_known(f"partition {ref}", said, {"writers", "evidence", "upstream", "downstream"})
        found = await questions.evidence(name, version, partition=part)
        if "writers" in said:
            writers = [[one["version"], one["possible"]] for one in found["writers"]]
            _same(f"writers of {ref}", writers, [[generation(one), bool(maybe)] for one, *maybe in said["writers"]])
        if "evidence" in said:
            _same(
                f"evidence of {ref}",
                found["run"] and found["run"]["runId"],
                said["evidence"] and run_uuid(said["evidence"]),
            )
        for key in ("upstream", "downstream"):
            if key in said:
                walked = await questions.partition(name, part, version, upstream=key == "upstream")
                await _walk(f"{key} of {ref}", walked, said[key])


async def subsets(questions: Questions, expect: dict[str, dict[str, Any]]) -> None:
    """Per generation: what was written of it (``""``), and what was read of each input."""
    for ref, said in expect.items():
        found = await questions.evidence(*dataset(ref))
        actual = {f"{edge['dataset']['name']}@{edge['version']}": edge["subset"] for edge in found["edges"]}
        actual[""] = found["subset"]
        for about, wanted in said.items():
            _same(f"part of {ref} {about}", actual[about], wanted)


async def positions(questions: Questions, expect: dict[str, dict[str, Any]]) -> None:
    """Per generation and input: where it was read."""
    for ref, said in expect.items():
        found = await questions.evidence(*dataset(ref))
        actual = {edge["dataset"]["name"]: edge["positions"] for edge in found["edges"]}
        for about, wanted in said.items():
            _same(f"positions of {about} in {ref}", actual[about], wanted)


async def as_of(questions: Questions, expect: dict[str, dict[str, Any]]) -> None:
    """Per time: what is expected of a question about that time."""
    for time, said in expect.items():
        past: Any = _Past(questions, time)
        for key, wanted in said.items():
            await CHECKS[key](past, wanted)


class _Past:
    """The questions that can be asked about the past, each about one time."""

    def __init__(self, questions: Questions, time: str) -> None:
        self._questions, self._time = questions, time

    async def evidence(self, *about: Any, **how: Any) -> dict[str, Any]:
        return await self._questions.evidence(*about, **how, as_of=self._time)

    async def upstream(self, *about: Any) -> dict[str, Any]:
        return await self._questions.upstream(*about, as_of=self._time)

    async def impact(self, *about: Any, **how: Any) -> dict[str, Any]:
        return await self._questions.impact(*about, **how, as_of=self._time)

    async def logical_run(self, key: str) -> dict[str, Any] | None:
        return await self._questions.logical_run(key, as_of=self._time)


async def logical(questions: Questions, expect: dict[str, dict[str, Any]]) -> None:
    for key, said in expect.items():
        found = await questions.logical_run(key)
        assert found is not None, f"logical run {key} is not known"
        _only_known(f"logical run {key}", said, {"attempts", "winner", "changed", "publication", "retries"})
        if "publication" in said:
            published = {(_name(one["dataset"]), one["version"]) for one in found["publication"]}
            _same(f"publication of {key}", published, {dataset(one) for one in said["publication"]})
        if "retries" in said:
            retries = [
                [
                    [_name(change["dataset"]), change["how"], change["before"], change["after"]]
                    for change in retry["changes"]
                ]
                for retry in found["retries"]
            ]
            expected = [
                [
                    [dataset(ref)[0], how, *([generation(version) for version in side] for side in sides)]
                    for ref, how, *sides in retry
                ]
                for retry in said["retries"]
            ]
            _same(f"retries of {key}", retries, expected)
        if "attempts" in said:
            attempts = [run["runId"] for run in found["attempts"]]
            _same(f"attempts of {key}", attempts, [run_uuid(run) for run in said["attempts"]])
        if "winner" in said:
            _same(f"winner of {key}", found["winner"], said["winner"] and run_uuid(said["winner"]))
        if "changed" in said:
            changed = {_name(one["dataset"]) for one in found["changed"]}
            _same(f"changed inputs of {key}", changed, _refs(said["changed"]))


async def datasets(questions: Questions, expect: dict[str, dict[str, Any]]) -> None:
    for ref, said in expect.items():
        found = await questions.dataset(dataset(ref)[0])
        assert found is not None, f"dataset {ref} is not known"
        _only_known(f"dataset {ref}", said, {"canonical", "deleted", "description"})
        if "canonical" in said:
            _same(f"{ref} canonical", _name(found["canonical"]), dataset(said["canonical"])[0])
        for key in ("deleted", "description"):
            if key in said:
                _same(f"{ref} {key}", found[key], said[key])


CHECKS: dict[str, Check] = {
    check.__name__: check
    for check in (
        runs, job_edges, generations, evidence, edges, columns, upstream, downstream, logical, datasets, design,
        tainted, tainted_by, consumers, as_of, partitions, subsets, positions, wants, job_runs, instances,
    )
}  # fmt: skip


async def check(questions: Questions, expect: dict[str, Any]) -> None:
    """Compares every expectation. A key that nobody knows fails: it must never be passed over."""
    unknown = set(expect) - set(CHECKS)
    assert not unknown, f"the runner does not know the expectations {sorted(unknown)}"
    for key, said in expect.items():
        await CHECKS[key](questions, said)
