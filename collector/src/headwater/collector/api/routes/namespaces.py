"""Marquez's namespaces."""

from __future__ import annotations

from fastapi import APIRouter

from headwater.shared import times

from ..answers import Answer, not_found
from ..params import Limit, Offset, Segment
from ..services import Json, Services


def router(services: Services) -> APIRouter:
    routes = APIRouter(prefix="/api/v1/namespaces", tags=["Marquez"])
    reader = services.questions.reader

    @routes.get("")
    async def get_namespaces(limit: Limit = 100, offset: Offset = 0) -> Answer:
        """All namespaces of jobs and datasets, by name."""
        found = sorted((await reader.namespaces()).items())
        return Answer({"namespaces": [_shape(name, *seen) for name, seen in found[offset : offset + limit]]})

    @routes.get("/{namespace}")
    async def get_namespace(namespace: Segment) -> Answer:
        """One namespace."""
        seen = (await reader.namespaces()).get(namespace)
        if seen is None:
            raise not_found(f"Namespace '{namespace}' not found.")
        return Answer(_shape(namespace, *seen))

    return routes


def _shape(name: str, first_time: str, last_time: str) -> Json:
    return {
        "name": name,
        "createdAt": times.display(first_time),
        "updatedAt": times.display(last_time),
        "ownerName": "anonymous",
        "description": None,
        "isHidden": False,
    }
