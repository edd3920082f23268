"""Wants, partitions and job runs, as a build system asks for them (docs/execution.md)."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Annotated, TypeAlias

from fastapi import APIRouter, Query

from headwater.collector.splits import splits
from headwater.shared.event import Name

from ..answers import Answer, bad_request, not_found
from ..nodes import first_known, known, readings
from ..params import MAX_PAGE, Generation, Segment
from ..services import Services

Page: TypeAlias = Annotated[int, Query(ge=1, le=MAX_PAGE, description="Entries of each list, at most.")]
After: TypeAlias = Annotated[
    str | None, Query(min_length=1, description="The `next` of a list in an earlier answer: that list goes on there.")
]


def router(services: Services) -> APIRouter:
    routes = APIRouter(prefix="/api", tags=["headwater"])
    questions = services.questions

    @routes.get("/wants/{want_id}")
    async def get_want(
        want_id: Segment,
        depth: Annotated[int, Query(ge=0, le=10, description="Levels of derivative wants to go down.")] = 3,
        limit: Page = 100,
        after: After = None,
    ) -> Answer:
        """A want: the partitions asked for, each with its instance; the job runs that served it, attempts at one piece
        of work as one entry; the dep-misses that spawned it; and the wants that its own job runs spawned, as a tree.

        Every list says its `total`, how many are left (`more`), and `next` for going on with it."""
        with _cursor():
            found = await questions.want(want_id, depth=depth, limit=limit, after=after)
        if found is None:
            raise not_found(f"Want '{want_id}' not found.")
        return Answer(found)

    @routes.get("/partitions/{namespace}/{name}")
    async def get_partition(
        namespace: Segment, name: Segment, generation: Generation = None, limit: Page = 100, after: After = None
    ) -> Answer:
        """The canonical instance of a partition, or that of a `generation`: `built_by` which job run, with what it read
        by UUID; `upstream`, what it was made from; `downstream`, the job runs that read it and what they made of it;
        `older` instances."""
        partition = Name(namespace, name)
        if not await known(questions.reader, "dataset", [partition]):
            raise not_found(f"Partition '{name}' in namespace '{namespace}' not found.")
        with _cursor():
            return Answer(await questions.instance(partition, generation, limit=limit, after=after))

    @routes.get("/partitions/{ref}")
    async def get_partition_by_ref(
        ref: Segment, generation: Generation = None, limit: Page = 100, after: After = None
    ) -> Answer:
        """The same, by one text: `dataset:NAMESPACE:NAME`, or `NAMESPACE/NAME` with its slashes encoded."""
        found = await first_known(questions.reader, "dataset", _readings(ref))
        if found is None:
            raise not_found(f"Partition '{ref}' not found.")
        partition, version = found
        with _cursor():
            return Answer(await questions.instance(partition, generation or version, limit=limit, after=after))

    @routes.get("/job_runs/{run_id}")
    async def get_job_run(run_id: Segment, limit: Page = 100, after: After = None) -> Answer:
        """A job run: the wants it was scheduled for, what it read and wrote by UUID, its status and the history of it,
        what it missed, and the wants that its dep-miss spawned."""
        with _cursor():
            found = await questions.job_run(run_id, limit=limit, after=after)
        if found is None:
            raise not_found(f"Job run '{run_id}' not found.")
        return Answer(found)

    return routes


@contextmanager
def _cursor() -> Iterator[None]:
    """What the questions refuse is a cursor that they did not give."""
    try:
        yield
    except ValueError as wrong:
        raise bad_request(f"query param after: {wrong}") from wrong


def _readings(ref: str) -> Iterator[tuple[Name, str | None]]:
    """Every reading of a reference, the longest namespace first."""
    if ref.startswith("dataset:"):
        yield from readings(ref.removeprefix("dataset:"))
    else:
        yield from ((name, None) for name in splits(ref, "/"))
