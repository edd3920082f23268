"""Marquez's job versions: how the runs of a job that ended read, wrote and were located."""

from __future__ import annotations

from fastapi import APIRouter

from headwater.shared.event import Name

from ..answers import Answer, not_found
from ..marquez.job_versions import versions_of
from ..nodes import shown_names
from ..params import Limit, Offset, Segment
from ..services import Services


def router(services: Services) -> APIRouter:
    routes = APIRouter(prefix="/api/v1/namespaces/{namespace}/jobs/{name}/versions", tags=["Marquez"])
    reader = services.questions.reader

    @routes.get("")
    async def get_job_versions(namespace: Segment, name: Segment, limit: Limit = 100, offset: Offset = 0) -> Answer:
        """The versions of a job, newest first."""
        job = Name(namespace, name)
        if job not in await shown_names(reader, "job", [job]):
            raise not_found(f"Job '{name}' not found.")
        found, truncated = await versions_of(reader, job)
        page = found[offset : offset + limit]
        return Answer({"versions": page, "totalCount": len(found), "truncated": truncated})

    @routes.get("/{version}")
    async def get_job_version(namespace: Segment, name: Segment, version: Segment) -> Answer:
        """One version, by the UUID that its runs name."""
        job = Name(namespace, name)
        if job not in await shown_names(reader, "job", [job]):
            raise not_found(f"Job '{name}' not found.")
        found, _ = await versions_of(reader, job)
        for each in found:
            if each["version"] == version:
                return Answer(each)
        raise not_found(f"Job version '{version}' not found.")

    return routes
