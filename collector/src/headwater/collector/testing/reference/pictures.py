"""The same picture of the world twice: as the model draws it, and as the public readers do."""

from __future__ import annotations

from collections.abc import Collection
from functools import partial
from typing import Any

from headwater.collector.questions import Questions
from headwater.shared.event import Name

from .model import Model
from .rules.events import Generation

Topic = tuple[str, Any]
Picture = dict[Topic, Any]


def drawn(model: Model, moments: Collection[str] = ()) -> Picture:
    """Everything the model can say, and what it can say as of each of the moments."""
    picture: Picture = {}
    for run in model.runs():
        state = model.state(run)
        picture["run", run] = {
            "state": state.state, "contradiction": state.contradiction, "started": state.started, "ended": state.ended,
            "parent": model.parent(run), "job": model.job_of(run), "logical": model.logical_key(run),
            "attempt": model.attempt(run), "inputs": model.inputs(run),
            "outputs": {(name, version, time) for name, version, time in model.written(run)},
        }  # fmt: skip
    for job in model.jobs():
        picture["job", job] = model.job_edges(job)
    for raw in model.raw_names():
        picture["canonical", raw] = model.canonical(raw)
    for dataset in model.datasets():
        picture["dataset", dataset] = {
            "current": model.current(dataset), "committed": model.committed(dataset),
            "candidates": model.candidates(dataset), "deleted": model.deleted(dataset),
            "withdrawn": model.marked("withdrawn", dataset), "bad": model.marked("bad", dataset),
        }  # fmt: skip
    picture |= _published(model)
    for time in moments:
        picture |= {("as of", (time, topic)): said for topic, said in _published(model.past(time)).items()}
    return picture


def _published(model: Model) -> Picture:
    """What can be asked about the past, too."""
    picture: Picture = {}
    for dataset in model.datasets():
        picture["current", dataset] = model.current(dataset)
        for version in model.committed(dataset):
            generation, runs = (dataset, version), model.committers(dataset, version)
            edges = {tuple(edge) for edge in model.edges(runs[0], dataset, version)} if len(runs) == 1 else None
            picture["evidence", generation] = {
                "runs": set(runs), "edges": edges, "withdrawn": model.holds("withdrawn", dataset, version),
                "bad": model.holds("bad", dataset, version),
            }  # fmt: skip
            picture["upstream", generation] = model.upstream(generation), model.tainted_by(generation)
            picture["downstream", generation] = model.downstream(generation), model.tainted(generation)
    for key in {model.logical_key(run) for run in model.runs()} - {None}:
        assert key is not None
        picture["logical", key] = {
            "attempts": model.attempts(key), "winner": model.winner(key), "changed": model.changed(key),
            "publication": model.publication(key),
        } if model.attempts(key) else None  # fmt: skip
    return picture


async def asked(questions: Questions, topics: Picture) -> Picture:
    """The same topics through the public readers."""
    return {topic: await _ASK[topic[0]](questions, topic[1]) for topic in topics}


def _name(value: dict[str, str]) -> tuple[str, str]:
    return value["namespace"], value["name"]


async def _run(questions: Questions, run: str) -> Any:
    said = await questions.run(run)
    assert said is not None
    return {
        "state": said["state"], "contradiction": said["contradiction"], "started": said["started"],
        "ended": said["ended"], "parent": said["parent"] and said["parent"]["runId"], "job": _name(said["job"]),
        "logical": said["logicalKey"], "attempt": said["attempt"],
        "inputs": {(_name(pin["dataset"]), pin["version"], pin["grade"]) for pin in said["inputs"]},
        "outputs": {(_name(one["dataset"]), one["version"], one["committedAt"]) for one in said["outputs"]},
    }  # fmt: skip


async def _job(questions: Questions, job: tuple[str, str]) -> Any:
    said = await questions.job(Name(*job))
    assert said is not None
    return {_name(one) for one in said["inputs"]}, {_name(one) for one in said["outputs"]}


async def _canonical(questions: Questions, raw: tuple[str, str]) -> Any:
    said = await questions.dataset(Name(*raw))
    return said and _name(said["canonical"])


async def _dataset(questions: Questions, dataset: tuple[str, str]) -> Any:
    said = await questions.dataset(Name(*dataset))
    return said and {
        "current": said["current"], "committed": _by_last([one["version"] for one in said["committed"]]),
        "candidates": {one["version"] for one in said["candidates"]}, "deleted": said["deleted"],
        "withdrawn": {one["version"] for one in said["committed"] if one["withdrawn"]},
        "bad": {one["version"] for one in said["committed"] if one["bad"]},
    }  # fmt: skip


async def _current(questions: Any, dataset: tuple[str, str]) -> Any:
    return (await questions.evidence(Name(*dataset)))["generation"]


def _by_last(versions: list[str]) -> list[str]:
    """A version that several runs committed counts at its last commit."""
    return list(dict.fromkeys(reversed(versions)))[::-1]


async def _evidence(questions: Questions, generation: tuple[tuple[str, str], str]) -> Any:
    said = await questions.evidence(Name(*generation[0]), generation[1])
    marks = {kind: said[kind] is not None for kind in ("withdrawn", "bad")}
    if said["status"] == "conflict":
        return {"runs": set(said["conflict"]), "edges": None, **marks}
    if said["status"] != "published":
        return said["status"]
    edges = {(_name(edge["dataset"]), edge["version"], edge["grade"]) for edge in said["edges"]}
    return {"runs": {said["run"]["runId"]}, "edges": edges, **marks}


def _generation(one: dict[str, Any]) -> Generation:
    return _name(one["dataset"]), one["version"]


def _reached(said: dict[str, Any]) -> dict[Generation, tuple[int, bool]]:
    assert not said["truncated"]
    return {_generation(one): (one["distance"], one["possible"]) for one in said["reached"]}


async def _upstream(questions: Questions, generation: tuple[tuple[str, str], str]) -> Any:
    said = await questions.upstream(Name(*generation[0]), generation[1])
    return _reached(said), {_generation(one) for one in said["taintedBy"]}


async def _downstream(questions: Questions, generation: tuple[tuple[str, str], str]) -> Any:
    said = await questions.impact(Name(*generation[0]), generation[1])
    return _reached(said), {_generation(one) for one in said["reached"] if one["tainted"]}


async def _logical(questions: Questions, key: str) -> Any:
    said = await questions.logical_run(key)
    return said and {
        "attempts": [run["runId"] for run in said["attempts"]], "winner": said["winner"],
        "changed": {_name(one["dataset"]) for one in said["changed"]},
        "publication": {_generation(one) for one in said["publication"]},
    }  # fmt: skip


async def _as_of(questions: Questions, about: tuple[str, Topic]) -> Any:
    time, topic = about
    past: Any = _Past(questions, time)
    return await _ASK[topic[0]](past, topic[1])


class _Past:
    """The questions, each about one time in the past."""

    def __init__(self, questions: Questions, time: str) -> None:
        for name in ("evidence", "upstream", "impact", "logical_run"):
            setattr(self, name, partial(getattr(questions, name), as_of=time))


_ASK: dict[str, Any] = {
    "run": _run, "job": _job, "canonical": _canonical, "dataset": _dataset, "evidence": _evidence,
    "upstream": _upstream, "downstream": _downstream, "logical": _logical, "current": _current, "as of": _as_of,
}  # fmt: skip


def differences(expected: Picture, actual: Picture) -> list[str]:
    """One line for each topic that differs, saying only what does."""
    lines = []
    for topic, wanted in expected.items():
        got = actual[topic]
        if isinstance(wanted, dict) and isinstance(got, dict):
            lines += [
                f"{topic} {key}: is {got.get(key)!r}, must be {wanted.get(key)!r}"
                for key in dict.fromkeys((*wanted, *got))
                if got.get(key) != wanted.get(key)
            ]
        elif got != wanted:
            lines.append(f"{topic}: is {got!r}, must be {wanted!r}")
    return lines
