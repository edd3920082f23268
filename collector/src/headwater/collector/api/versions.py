"""What stands behind ``#`` in a nodeId: a version of a dataset or of a job, by any name that answers give it."""

from __future__ import annotations

from headwater.collector.questions.lookup import Lookup
from headwater.collector.stores.reading import Claim, Reader
from headwater.shared.codec import run_uuid

from .marquez.generations import generation_meant
from .marquez.runs import job_version
from .marquez.versions import current_job_version_uuid
from .marquez.views import run_views
from .nodes import Node

MAX_RUNS_SCANNED = 100
"""Newest runs of a job that are looked through for a version of it."""


async def claims_meant(reader: Reader, node: Node) -> list[Claim] | None:
    """The claims of the version: of a dataset by the version's UUID or by the generation's own name; of a job all that
    the run (or the newest run with that job version) wrote. None where there is no such version; an empty list where
    there is and nothing was written, as the only version of a dataset that nobody wrote."""
    assert node.version is not None
    lookup = Lookup(reader)
    if node.kind == "job":
        run = await run_meant(reader, node)
        return None if run is None else await lookup.claims_of_runs([run])
    name = await lookup.canonical(node.name)
    if claims := await lookup.claims([(name, node.version)]):
        return claims[:1]
    meant = await generation_meant(reader, node.name, node.version)
    if meant is None:
        return None
    return [] if meant.claim is None else [meant.claim]


async def run_meant(reader: Reader, node: Node) -> str | None:
    """The run behind ``job:NAMESPACE:NAME#``: by its id, or the newest one with that version of the job."""
    assert node.version is not None
    wanted = run_uuid(node.version)
    row = (await reader.run_rows([wanted])).get(wanted)
    if row is not None and row.job == node.name:
        return wanted
    rows = (await reader.latest_runs([node.name], MAX_RUNS_SCANNED)).get(node.name, [])
    views = await run_views(reader, [each.run for each in rows])
    for each in rows:
        version = job_version(views[each.run]) if each.run in views else None
        if version is not None and node.version in (version["version"], current_job_version_uuid(version["version"])):
            return each.run
    return None
