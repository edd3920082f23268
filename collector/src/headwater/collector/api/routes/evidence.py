"""headwater's own questions: which run, code and inputs made a generation, and what was made from it."""

from __future__ import annotations

from typing import Annotated, Literal

from fastapi import APIRouter, Query, Request

from headwater.collector.exports.checking import MAX_BYTES, MalformedManifestError, parse_manifest
from headwater.collector.exports.formats import FORMATS
from headwater.collector.exports.manifest import NotPublishedError
from headwater.shared.event import Name

from ..answers import Answer, Refusal, bad_request, not_found
from ..bodies import check_headers, gunzip, read
from ..nodes import known
from ..params import MAX_REACHED, AsOf, Depth, Generation, Partition, Segment
from ..services import Services


def router(services: Services) -> APIRouter:
    routes = APIRouter(prefix="/api", tags=["headwater"])
    questions = services.questions

    async def must_exist(dataset: Name) -> None:
        if not await known(questions.reader, "dataset", [dataset]):
            raise not_found(f"Dataset '{dataset.name}' in namespace '{dataset.namespace}' not found.")

    @routes.get("/evidence/{namespace}/{name}")
    async def get_evidence(
        namespace: Segment,
        name: Segment,
        generation: Generation = None,
        depth: Annotated[int, Query(ge=1, le=20, description="Levels of input generations to go back.")] = 1,
        format_: Annotated[
            Literal["json", "manifest", "intoto", "prov"],
            Query(
                alias="format",
                description="The replay manifest, an unsigned in-toto Statement, or W3C PROV-JSON instead.",
            ),
        ] = "json",
        as_of: AsOf = None,
        partition: Partition = [],  # noqa: B006 - FastAPI copies it
    ) -> Answer:
        """Which run, which code and which input generations made a generation of a dataset.

        `status` is `published`, `candidate`, `conflict` (two runs claim it; both are named) or `unknown`. `withdrawn`
        and `bad` are what was said of it since, `marks` all that ever was. With `depth` above 1, `taintedBy` names the
        bad generations behind it. `asOf` and `partition` go with
        the format `json` only.
        """
        dataset = Name(namespace, name)
        await must_exist(dataset)
        if format_ in FORMATS:
            if as_of is not None or partition:
                raise bad_request("query params asOf and partition: go with format=json only")
            try:
                return Answer(await questions.export(dataset, generation, format_, depth=depth))
            except NotPublishedError as error:
                raise Refusal(409 if error.status == "conflict" else 404, str(error)) from error
        return Answer(await questions.evidence(dataset, generation, depth=depth, as_of=as_of, partition=partition))

    @routes.post("/manifests/verify")
    async def verify_manifest(request: Request) -> Answer:
        """Whether a replay manifest, the body, still says what the store says; if not, what differs."""
        gzipped = check_headers(request.headers.raw, MAX_BYTES)
        raw = await read(request.receive, MAX_BYTES)
        try:
            manifest = parse_manifest(gunzip(raw, MAX_BYTES) if gzipped else raw)
        except MalformedManifestError as error:
            raise bad_request(str(error)) from error
        return Answer(await questions.check_manifest(manifest))

    @routes.get("/impact/{namespace}/{name}")
    async def get_impact(
        namespace: Segment,
        name: Segment,
        generation: Generation = None,
        max_depth: Depth = 20,
        limit: Annotated[int, Query(ge=1, le=MAX_REACHED, description="Generations at most.")] = 10_000,
        as_of: AsOf = None,
        consumers: Annotated[bool, Query(description="Also the runs that read any of them.")] = False,
        partition: Partition = [],  # noqa: B006 - FastAPI copies it
    ) -> Answer:
        """What was made from a generation, by distance. `possible` marks what a run may have made from it. If it is
        bad, `tainted` marks what is tainted by it: all of that, but for what was cleared since, and what only comes
        from there. With `partition`, only what was made from that partition."""
        dataset = Name(namespace, name)
        await must_exist(dataset)
        if partition:
            return Answer(
                await questions.partition(
                    dataset, partition, generation, upstream=False, max_depth=max_depth, limit=limit, as_of=as_of
                )
            )
        found = await questions.impact(
            dataset, generation, max_depth=max_depth, limit=limit, as_of=as_of, consumers=consumers
        )
        return Answer(found)

    @routes.get("/upstream/{namespace}/{name}")
    async def get_upstream(
        namespace: Segment,
        name: Segment,
        generation: Generation = None,
        max_depth: Depth = 20,
        limit: Annotated[int, Query(ge=1, le=MAX_REACHED, description="Generations at most.")] = 10_000,
        as_of: AsOf = None,
        partition: Partition = [],  # noqa: B006 - FastAPI copies it
    ) -> Answer:
        """What a generation was made from, by distance. `taintedBy` names the bad ones whose taint reaches it. With
        `partition`, only what that partition was made from."""
        dataset = Name(namespace, name)
        await must_exist(dataset)
        if partition:
            return Answer(
                await questions.partition(
                    dataset, partition, generation, upstream=True, max_depth=max_depth, limit=limit, as_of=as_of
                )
            )
        return Answer(await questions.upstream(dataset, generation, max_depth=max_depth, limit=limit, as_of=as_of))

    @routes.get("/columns/{namespace}/{name}/{column}")
    async def get_column(
        namespace: Segment,
        name: Segment,
        column: Segment,
        generation: Generation = None,
        max_depth: Depth = 20,
    ) -> Answer:
        """The columns that a column was made from: `inputs` directly, `sources` walked back to where they end."""
        dataset = Name(namespace, name)
        await must_exist(dataset)
        return Answer(
            {
                "dataset": {"namespace": namespace, "name": name},
                "generation": generation,
                "column": column,
                "inputs": await questions.columns(dataset, generation, column),
                "sources": await questions.column_sources(dataset, generation, column, max_depth=max_depth),
            }
        )

    @routes.get("/logical-runs/{key}")
    async def get_logical_run(key: Segment, as_of: AsOf = None) -> Answer:
        """The attempts at one piece of work, in order, each with what it read and wrote; which of them won, what it
        published, and which inputs changed between them, and how."""
        found = await questions.logical_run(key, as_of=as_of)
        if found is None:
            raise not_found(f"Logical run '{key}' not found.")
        return Answer(found)

    return routes
