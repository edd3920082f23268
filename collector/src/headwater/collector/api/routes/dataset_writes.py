"""Marquez's datasets, written: the old PUT, tags, and the soft delete."""

from __future__ import annotations

from fastapi import APIRouter, Request

from headwater.collector.questions.lookup import Lookup
from headwater.collector.stores.reading import DatasetFacts
from headwater.shared.codec import run_uuid
from headwater.shared.event import Name

from ..answers import Answer, not_found
from ..marquez.datasets import written_dataset
from ..marquez.facets import flat_fields
from ..marquez.sources import Sources
from ..marquez.tag_list import Tags
from ..marquez.views import DatasetView, dataset_views
from ..marquez.writing.catalog_events import dataset_deletion, dataset_tag_event, tag_event
from ..marquez.writing.entity_events import dataset_events, dataset_facets
from ..marquez.writing.requests import DatasetBody, body_schema, read_body
from ..marquez.writing.sending import Writer, refuse_reserved
from ..params import Segment
from ..services import Services


def router(services: Services) -> APIRouter:
    routes = APIRouter(prefix="/api/v1/namespaces/{namespace}/datasets/{name}", tags=["Marquez"])
    reader, writer = services.questions.reader, Writer(services)
    sources, tags = Sources(reader), Tags(reader)

    async def found(name: Name) -> DatasetView:
        refuse_reserved(name.namespace)
        views = await dataset_views(reader, [name])
        if name not in views:
            raise not_found(f"Dataset '{name.name}' not found.")
        return views[name]

    async def names_of(name: Name) -> dict[Name, DatasetFacts]:
        """Each name of the dataset that events mentioned."""
        lookup = Lookup(reader)
        await lookup.identify([name])
        return await reader.datasets(lookup.identity.members(name))

    async def answer(name: Name) -> Answer:
        return Answer(written_dataset(await found(name)))

    async def tag(name: Name, tag: str, field: str | None) -> Answer:
        view = await found(name)
        if field is not None and field not in {each for each, _ in flat_fields(view.facets)}:
            raise not_found(f"Field '{field}' not found for dataset '{name.name}'.")
        now = writer.now()
        events = [dataset_tag_event(now, name, view.last_time, tag, field, given=True)]
        if await tags.one(tag) is None:
            events.append(tag_event(now, tag, None))
        await writer.send(events)
        return await answer(name)

    async def untag(name: Name, tag: str, field: str | None) -> Answer:
        await found(name)
        now, names = writer.now(), await names_of(name)
        events = [dataset_tag_event(now, n, f.last_time, tag, field, given=False) for n, f in names.items()]
        await writer.send(events)
        return await answer(name)

    @routes.put("", openapi_extra=body_schema(DatasetBody))
    async def put_dataset(namespace: Segment, name: Segment, request: Request) -> Answer:
        """Describes a dataset; with a `runId`, says that the run wrote it. OpenLineage events are the better way."""
        refuse_reserved(namespace)
        body = await read_body(request, DatasetBody)
        dataset, run = Name(namespace, name), None
        if body.runId is not None:
            row = (await reader.run_rows([run_uuid(body.runId)])).get(run_uuid(body.runId))
            if row is None or row.job is None:
                raise not_found(f"Run '{body.runId}' not found.")
            run = (row.run, row.job)
        now = writer.now()
        events = [*dataset_events(now, dataset, dataset_facets(body, await sources.url(body.sourceName)), run)]
        given = {*(body.tags or ()), *(t.upper() for field in body.fields_ or () for t in field.tags or ())}
        events += [tag_event(now, each, None) for each in sorted(given) if await tags.one(each) is None]
        await writer.send(events)
        return await answer(dataset)

    @routes.delete("")
    async def delete_dataset(namespace: Segment, name: Segment) -> Answer:
        """Hides a dataset, under all its names, until an event names it again."""
        dataset = Name(namespace, name)
        view = await found(dataset)
        now, names = writer.now(), await names_of(dataset)
        await writer.send([dataset_deletion(now, each, facts.last_time) for each, facts in names.items()])
        return Answer({**written_dataset(view), "lastLifecycleState": None})

    @routes.post("/tags/{tag_name}")
    async def post_dataset_tag(namespace: Segment, name: Segment, tag_name: Segment) -> Answer:
        """Gives a dataset a tag; a tag that does not exist yet is made."""
        return await tag(Name(namespace, name), tag_name, None)

    @routes.delete("/tags/{tag_name}")
    async def delete_dataset_tag(namespace: Segment, name: Segment, tag_name: Segment) -> Answer:
        """Takes a tag, given through the API, from a dataset."""
        return await untag(Name(namespace, name), tag_name, None)

    @routes.post("/fields/{field}/tags/{tag_name}")
    async def post_field_tag(namespace: Segment, name: Segment, field: Segment, tag_name: Segment) -> Answer:
        """Gives a field a tag, in upper case."""
        return await tag(Name(namespace, name), tag_name.upper(), field)

    @routes.delete("/fields/{field}/tags/{tag_name}")
    async def delete_field_tag(namespace: Segment, name: Segment, field: Segment, tag_name: Segment) -> Answer:
        """Takes a tag, given through the API, from a field."""
        return await untag(Name(namespace, name), tag_name.upper(), field)

    return routes
