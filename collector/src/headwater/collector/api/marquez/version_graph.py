"""The lineage graph of one version of a dataset, in the shape of Marquez's lineage graph.

Ids carry what makes them one: ``dataset:NAMESPACE:NAME#VERSION`` with the version's UUID, ``job:NAMESPACE:NAME#RUN``
with the run's. A dataset of which nothing tells the version that was read has the id without one.
"""

from __future__ import annotations

from headwater.collector.questions.lookup import Lookup
from headwater.collector.questions.version_graph import VersionGraph, VersionNode
from headwater.collector.stores.reading import Reader
from headwater.shared.event import Name

from ..nodes import node_id
from ..services import Json
from .datasets import dataset_data, dataset_version
from .jobs import job_data
from .versions import generation_uuid
from .views import DatasetView, JobView, RunView, dataset_views, job_views, run_views

_OF_VERSION = ("fields", "tags", "description", "sourceName", "type", "createdAt")
"""What a node says as the version had it."""


async def version_graph_shape(reader: Reader, around: VersionGraph) -> Json:
    """{graph, truncated, truncatedBy} as for the lineage of names. ``data`` of a job holds the run that took part as
    ``latestRun``; of a dataset ``version``, ``generation`` and the run that made it. ``possible`` marks what is only
    reached where nothing tells whether an input went into an output."""
    lookup = Lookup(reader)
    generations = [node[1] for node in around.distances if node[0] == "generation"]
    claims = await lookup.claims([(name, version) for name, version in generations if version is not None])
    writers = {(lookup.identity.of(claim.dataset), claim.version): claim for claim in reversed(claims)}
    runs = await run_views(
        reader, {node[1] for node in around.distances if node[0] == "run"} | {each.run for each in writers.values()}
    )
    datasets = await dataset_views(reader, {name for name, _ in generations})
    jobs = await job_views(reader, {run.facts.job for run in runs.values() if run.facts.job is not None}, runs=0)
    ids: dict[VersionNode, str] = {}
    data: dict[VersionNode, Json] = {}
    for node in around.distances:
        if node[0] == "run":
            run = runs.get(node[1])
            job = jobs.get(run.facts.job) if run is not None and run.facts.job is not None else None
            if run is not None and job is not None:
                ids[node] = f"{node_id('job', job.facts.job)}#{run.facts.run}"
                data[node] = _job_data(job, run)
        else:
            name, version = node[1]
            if name in datasets:
                ids[node] = _dataset_id(name, version)
                writer = writers.get((name, version)) if version is not None else None
                made_by = runs.get(writer.run) if writer is not None else None
                data[node] = _dataset_data(datasets[name], version, made_by, lookup)
    return _assembled(around, ids, data)


def _job_data(job: JobView, run: RunView) -> Json:
    return job_data(
        job._replace(
            inputs=sorted({read.pin.dataset for read in run.reads}),
            outputs=sorted({write.claim.dataset for write in run.writes}),
            latest=[run],
        )
    )


def _dataset_data(view: DatasetView, version: str | None, made_by: RunView | None, lookup: Lookup) -> Json:
    data = dataset_data(view)
    if version is not None:
        claim = next(
            (
                write.claim
                for write in (made_by.writes if made_by is not None else ())
                if (lookup.identity.of(write.claim.dataset), write.claim.version) == (view.canonical, version)
            ),
            None,
        )
        if claim is not None:
            stated = dataset_version(view, claim, made_by)
            data |= {key: stated[key] for key in _OF_VERSION}
            data["committed"] = claim.commit_time is not None
    return {
        **data,
        "version": None if version is None else generation_uuid(view.canonical, version),
        "generation": version,
        "createdByRunId": made_by.facts.run if made_by is not None else None,
    }


def _dataset_id(name: Name, version: str | None) -> str:
    plain = node_id("dataset", name)
    return plain if version is None else f"{plain}#{generation_uuid(name, version)}"


def _assembled(around: VersionGraph, ids: dict[VersionNode, str], data: dict[VersionNode, Json]) -> Json:
    incoming: dict[VersionNode, list[Json]] = {}
    outgoing: dict[VersionNode, list[Json]] = {}
    edges = sorted((ids[a], ids[b], a, b) for a, b in around.edges if a in ids and b in ids)
    for origin, destination, a, b in edges:
        edge = {"origin": origin, "destination": destination}
        outgoing.setdefault(a, []).append(edge)
        incoming.setdefault(b, []).append(edge)
    nodes: list[Json] = [
        {
            "id": ids[node],
            "type": "JOB" if node[0] == "run" else "DATASET",
            "data": found,
            "inEdges": incoming.get(node, []),
            "outEdges": outgoing.get(node, []),
            "distance": around.distances[node],
            "possible": node in around.possible,
        }
        for node, found in data.items()
    ]
    nodes.sort(key=lambda node: str(node["id"]))
    return {"graph": nodes, "truncated": around.truncated_by is not None, "truncatedBy": around.truncated_by}
