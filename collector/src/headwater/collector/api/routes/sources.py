"""Marquez's sources: those described through the API, and those that dataSource facets name."""

from __future__ import annotations

from fastapi import APIRouter, Request

from ..answers import Answer, not_found
from ..marquez.sources import Sources
from ..marquez.writing.catalog_events import source_event
from ..marquez.writing.requests import SourceBody, body_schema, read_body
from ..marquez.writing.sending import Writer
from ..params import Limit, Offset, Segment
from ..services import Services


def router(services: Services) -> APIRouter:
    routes = APIRouter(prefix="/api/v1/sources", tags=["Marquez"])
    writer, sources = Writer(services), Sources(services.questions.reader)

    @routes.get("")
    async def get_sources(limit: Limit = 100, offset: Offset = 0) -> Answer:
        """All sources by name."""
        found = await sources.all()
        return Answer({"sources": found[offset : offset + limit], "totalCount": len(found)})

    @routes.get("/{source}")
    async def get_source(source: Segment) -> Answer:
        """One source."""
        found = await sources.one(source)
        if found is None:
            raise not_found(f"Source '{source}' not found.")
        return Answer(found)

    @routes.put("/{source}", openapi_extra=body_schema(SourceBody))
    async def put_source(source: Segment, request: Request) -> Answer:
        """Describes a source."""
        body = await read_body(request, SourceBody)
        await writer.send([source_event(writer.now(), source, body.type, body.connectionUrl, body.description)])
        return Answer(await sources.one(source))

    return routes
