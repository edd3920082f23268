"""Marquez's datasets and their versions, read."""

from __future__ import annotations

from fastapi import APIRouter

from headwater.collector.questions.lookup import Lookup
from headwater.collector.stores.reading import Reader
from headwater.shared.event import Name

from ..answers import Answer, not_found
from ..marquez.datasets import dataset as dataset_shape
from ..marquez.datasets import dataset_version
from ..marquez.generations import generation_meant
from ..marquez.namespaces import Namespaces
from ..marquez.views import DatasetView, dataset_views, run_views
from ..params import Limit, Offset, Segment
from ..services import Services

MAX_COUNTED = 10_000
"""``totalCount`` of versions stops here."""


def router(services: Services) -> APIRouter:
    routes = APIRouter(prefix="/api/v1/namespaces/{namespace}/datasets", tags=["Marquez"])
    whole = services.questions.whole

    async def found(reader: Reader, name: Name) -> DatasetView:
        views = await dataset_views(reader, [name])
        if name not in views:
            raise not_found(f"Dataset '{name.name}' not found.")
        return views[name]

    @routes.get("")
    async def get_datasets(namespace: Segment, limit: Limit = 100, offset: Offset = 0) -> Answer:
        """The datasets of a namespace by name, symlinked names too."""

        async def ask(reader: Reader) -> Answer:
            total, names = await reader.list_datasets(namespace, limit, offset)
            if not total:
                known = await Namespaces(reader).real_name(namespace)
                if known is None:
                    raise not_found(f"Namespace '{namespace}' not found.")
                if known != namespace:
                    total, names = await reader.list_datasets(known, limit, offset)
            views = await dataset_views(reader, names)
            return Answer(
                {"totalCount": total, "datasets": [dataset_shape(views[name]) for name in names if name in views]}
            )

        return await whole(ask)

    @routes.get("/{name}")
    async def get_dataset(namespace: Segment, name: Segment) -> Answer:
        """A dataset, under any of its names."""
        return Answer(dataset_shape(await whole(lambda reader: found(reader, Name(namespace, name)))))

    @routes.get("/{name}/versions")
    async def get_dataset_versions(namespace: Segment, name: Segment, limit: Limit = 100, offset: Offset = 0) -> Answer:
        """The committed generations of a dataset, newest first, each with the run that wrote it. A dataset that nobody
        wrote has one version: what is known of it."""

        async def ask(reader: Reader) -> Answer:
            view = await found(reader, Name(namespace, name))
            lookup = Lookup(reader)
            await lookup.identify([view.name])
            members = lookup.identity.members(view.name)
            claims = await reader.history(members, committed=True, limit=MAX_COUNTED)
            if not claims and view.versioned:
                versions = [dataset_version(view, None, None)][offset : offset + limit]
                return Answer({"versions": versions, "totalCount": 1, "truncated": False})
            page = claims[offset : offset + limit]
            runs = await run_views(reader, {claim.run for claim in page})
            versions = [dataset_version(view, claim, runs.get(claim.run)) for claim in page]
            return Answer({"versions": versions, "totalCount": len(claims), "truncated": len(claims) == MAX_COUNTED})

        return await whole(ask)

    @routes.get("/{name}/versions/{version}")
    async def get_dataset_version(namespace: Segment, name: Segment, version: Segment) -> Answer:
        """One version, by the UUID that the list of versions has, or by the one that a run names."""

        async def ask(reader: Reader) -> Answer:
            view = await found(reader, Name(namespace, name))
            meant = await generation_meant(reader, view.name, version)
            if meant is None:
                raise not_found(f"Dataset version '{version}' not found.")
            runs = await run_views(reader, [meant.claim.run] if meant.claim else [])
            return Answer(dataset_version(view, meant.claim, runs.get(meant.claim.run) if meant.claim else None))

        return await whole(ask)

    return routes
