"""Marquez's tags."""

from __future__ import annotations

from fastapi import APIRouter, Request

from ..answers import Answer, not_found
from ..marquez.tag_list import Tags
from ..marquez.writing.catalog_events import tag_event
from ..marquez.writing.requests import TagBody, body_schema, read_body
from ..marquez.writing.sending import Writer
from ..params import Limit, Offset, Segment
from ..services import Services


def router(services: Services) -> APIRouter:
    routes = APIRouter(prefix="/api/v1/tags", tags=["Marquez"])
    writer, tags = Writer(services), Tags(services.questions.reader)

    @routes.get("")
    async def get_tags(limit: Limit = 100, offset: Offset = 0) -> Answer:
        """All tags, those that are there from the start first, then by name."""
        found = await tags.all()
        return Answer({"tags": found[offset : offset + limit], "totalCount": len(found)})

    @routes.get("/{tag}")
    async def get_tag(tag: Segment) -> Answer:
        """One tag."""
        found = await tags.one(tag)
        if found is None:
            raise not_found(f"Tag '{tag}' not found.")
        return Answer(found)

    @routes.put("/{tag}", openapi_extra=body_schema(TagBody))
    async def put_tag(tag: Segment, request: Request) -> Answer:
        """Says what a tag means."""
        body = await read_body(request, TagBody)
        await writer.send([tag_event(writer.now(), tag, body.description)])
        return Answer(await tags.one(tag))

    return routes
