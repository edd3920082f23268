"""headwater's own view of runs, jobs, datasets and the graph between them: what the command line shows."""

from __future__ import annotations

from typing import Annotated, Literal

from fastapi import APIRouter, Path, Query

from headwater.shared.codec import run_uuid
from headwater.shared.event import Name

from ..answers import Answer, bad_request, not_found
from ..nodes import known
from ..params import AsOf, Depth, Limit, Segment, Time
from ..services import Services


def router(services: Services) -> APIRouter:
    routes = APIRouter(prefix="/api", tags=["headwater"])
    questions = services.questions

    @routes.get("/runs")
    async def get_runs(
        namespace: Annotated[str | None, Query(description="With job: runs of this job only.")] = None,
        job: Annotated[str | None, Query(description="A job's name, with namespace.")] = None,
        status: Annotated[
            Literal["NEW", "RUNNING", "COMPLETED", "FAILED", "ABORTED", "INTERRUPTED"] | None,
            Query(description="State of the run."),
        ] = None,
        since: Time = None,
        limit: Limit = 100,
        after: Annotated[str | None, Query(description="`next` of the page before.")] = None,
    ) -> Answer:
        """Runs, newest first; `next` goes on where `truncated` is true."""
        if (namespace is None) != (job is None):
            raise bad_request("query params namespace and job go together")
        name = Name(namespace, job) if namespace is not None and job is not None else None
        try:
            found = await questions.runs(job=name, status=status, since=since, limit=limit, after=after)
        except ValueError as error:
            raise bad_request(f"query param after: {error}") from error
        return Answer(found)

    @routes.get("/runs/{run_id}")
    async def get_run(run_id: Segment) -> Answer:
        """One run with its state history, attempt, code, reads, writes and facets."""
        found = await questions.run(run_uuid(run_id))
        if found is None:
            raise not_found(f"Run '{run_id}' not found.")
        return Answer(found)

    @routes.get("/jobs/{namespace}/{name}")
    async def get_job(namespace: Segment, name: Segment) -> Answer:
        """One job with what it reads and writes now, and what its design says."""
        found = await questions.job(Name(namespace, name))
        if found is None:
            raise not_found(f"Job '{name}' in namespace '{namespace}' not found.")
        return Answer(found)

    @routes.get("/datasets/{namespace}/{name}")
    async def get_dataset(namespace: Segment, name: Segment) -> Answer:
        """One dataset with its names, its committed generations and its candidates."""
        found = await questions.dataset(Name(namespace, name))
        if found is None:
            raise not_found(f"Dataset '{name}' in namespace '{namespace}' not found.")
        return Answer(found)

    @routes.get("/lineage/{kind}/{namespace}/{name}")
    async def get_lineage(
        kind: Annotated[Literal["job", "dataset"], Path(description="What the name is of.")],
        namespace: Segment,
        name: Segment,
        up: Depth = 5,
        down: Depth = 5,
        as_of: AsOf = None,
    ) -> Answer:
        """The current graph up and down from a node, along the flow of data; the graph of a past moment with `asOf`."""
        node = Name(namespace, name)
        if not await known(questions.reader, kind, [node]):
            raise not_found(f"{kind.capitalize()} '{name}' in namespace '{namespace}' not found.")
        return Answer(await questions.lineage(node, kind, up=up, down=down, as_of=as_of))

    @routes.get("/counts")
    async def get_counts() -> Answer:
        """How many events, runs, jobs and datasets there are."""
        return Answer(await questions.counts())

    @routes.get("/fingerprint")
    async def get_fingerprint() -> Answer:
        """A hash of the graph's whole meaning: equal for the same set of events, in whatever order they came."""
        return Answer({"fingerprint": await questions.fingerprint()})

    return routes
