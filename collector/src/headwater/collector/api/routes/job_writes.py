"""Marquez's jobs, written: the old PUT, tags, and the soft delete."""

from __future__ import annotations

from fastapi import APIRouter, Request

from headwater.shared.codec import run_uuid
from headwater.shared.event import Name

from ..answers import Answer, not_found
from ..marquez.jobs import written_job
from ..marquez.tag_list import Tags
from ..marquez.views import JobView, job_views
from ..marquez.writing.catalog_events import job_deletion, job_tag_event, tag_event
from ..marquez.writing.entity_events import job_events
from ..marquez.writing.requests import JobBody, body_schema, read_body
from ..marquez.writing.sending import Writer, refuse_reserved
from ..params import Segment
from ..services import Services
from .jobs import LATEST_RUNS


def router(services: Services) -> APIRouter:
    routes = APIRouter(prefix="/api/v1/namespaces/{namespace}/jobs/{name}", tags=["Marquez"])
    reader, writer = services.questions.reader, Writer(services)
    tags = Tags(reader)

    async def found(job: Name) -> JobView:
        views = await job_views(reader, [job], runs=LATEST_RUNS)
        if job not in views:
            raise not_found(f"Job '{job.name}' not found.")
        return views[job]

    @routes.put("", openapi_extra=body_schema(JobBody))
    async def put_job(namespace: Segment, name: Segment, request: Request) -> Answer:
        """Describes a job; with a `runId`, says that the run read and wrote so. OpenLineage events are the better
        way."""
        refuse_reserved(namespace)
        body, job = await read_body(request, JobBody), Name(namespace, name)
        run = None
        if body.runId is not None:
            run = run_uuid(body.runId)
            if run not in await reader.run_rows([run]):
                raise not_found(f"Run '{body.runId}' not found.")
        await writer.send(job_events(writer.now(), job, body, run))
        return Answer(written_job(await found(job)))

    @routes.delete("")
    async def delete_job(namespace: Segment, name: Segment) -> Answer:
        """Hides a job until an event names it again."""
        view = await found(job := Name(namespace, name))
        await writer.send([job_deletion(writer.now(), job, view.facts.last_time)])
        return Answer({**written_job(view), "outputs": []})

    @routes.post("/tags/{tag}")
    async def post_job_tag(namespace: Segment, name: Segment, tag: Segment) -> Answer:
        """Gives a job a tag; a tag that does not exist yet is made."""
        view = await found(job := Name(namespace, name))
        now = writer.now()
        events = [job_tag_event(now, job, view.facts.last_time, tag, given=True)]
        if await tags.one(tag) is None:
            events.append(tag_event(now, tag, None))
        await writer.send(events)
        return Answer({**written_job(await found(job)), "outputs": []})

    @routes.delete("/tags/{tag}")
    async def delete_job_tag(namespace: Segment, name: Segment, tag: Segment) -> Answer:
        """Takes a tag, given through the API, from a job."""
        view = await found(job := Name(namespace, name))
        await writer.send([job_tag_event(writer.now(), job, view.facts.last_time, tag, given=False)])
        return Answer({**written_job(await found(job)), "outputs": []})

    return routes
