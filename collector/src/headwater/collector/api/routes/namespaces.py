"""Marquez's namespaces."""

from __future__ import annotations

from fastapi import APIRouter, Request

from headwater.collector.catalog import NAMESPACES
from headwater.shared.event import Name

from ..answers import Answer, not_found
from ..marquez.namespaces import Namespaces
from ..marquez.writing.catalog_events import namespace_deletion, namespace_event
from ..marquez.writing.requests import NamespaceBody, body_schema, read_body
from ..marquez.writing.sending import Writer, refuse_reserved
from ..params import Limit, Offset, Segment
from ..services import Services


def router(services: Services) -> APIRouter:
    routes = APIRouter(prefix="/api/v1/namespaces", tags=["Marquez"])
    reader, writer = services.questions.reader, Writer(services)
    namespaces = Namespaces(reader)

    @routes.get("")
    async def get_namespaces(limit: Limit = 100, offset: Offset = 0) -> Answer:
        """All namespaces by name, hidden ones too."""
        total, page = await namespaces.page(limit, offset)
        return Answer({"namespaces": page, "totalCount": total})

    @routes.get("/{namespace}")
    async def get_namespace(namespace: Segment) -> Answer:
        """One namespace."""
        found = await namespaces.one(namespace)
        if found is None:
            raise not_found(f"Namespace '{namespace}' not found.")
        return Answer(found)

    @routes.put("/{namespace}", openapi_extra=body_schema(NamespaceBody))
    async def put_namespace(namespace: Segment, request: Request) -> Answer:
        """Says who owns a namespace and what it is for."""
        refuse_reserved(namespace)
        body = await read_body(request, NamespaceBody)
        real = await namespaces.real_name(namespace) or namespace
        await writer.send([namespace_event(writer.now(), real, body.ownerName, body.description)])
        return Answer(await namespaces.one(namespace))

    @routes.delete("/{namespace}")
    async def delete_namespace(namespace: Segment) -> Answer:
        """Hides a namespace with all its jobs and datasets, each until an event names it again."""
        found = await namespaces.one(namespace)
        real = await namespaces.real_name(namespace) or namespace
        facts = await reader.namespace_facts([real])
        if found is None or not facts:
            raise not_found(f"Namespace '{namespace}' not found.")
        described = (await reader.datasets([entry := Name(NAMESPACES, real)])).get(entry)
        span = await reader.span(real)
        seen = described.last_time if described else facts[0].first_time
        until = max(seen, span[1]) if span else seen
        await writer.send([namespace_deletion(writer.now(), real, seen, until)])
        return Answer(found)

    return routes
