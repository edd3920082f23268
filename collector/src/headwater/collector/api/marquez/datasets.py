"""Marquez's Dataset and DatasetVersion."""

from __future__ import annotations

from headwater.collector.stores.reading import Claim, Facets

from ..services import Json
from . import facets as read
from .runs import run as run_shape
from .runs import shown
from .versions import generation_uuid, name_uuid
from .views import DatasetView, RunView


def dataset(view: DatasetView) -> Json:
    """A Dataset. Marquez has no ``generation`` (the current one by its own name), ``canonical`` and ``aliases``."""
    generation = view.current and view.current.version
    return {
        **dataset_data(view),
        "currentVersion": generation_uuid(view.canonical, generation),
        "columnLineage": read.column_lineage(view.facets),
        "facets": view.facets,
        "deleted": view.deleted,
        "generation": generation,
        "canonical": view.canonical._asdict(),
        "aliases": [each._asdict() for each in view.aliases],
    }


def dataset_data(view: DatasetView) -> Json:
    """The ``data`` of a DATASET node in a graph."""
    return {
        **_named(view, view.facets),
        "createdAt": shown(view.first_time),
        "updatedAt": shown(view.last_time),
        "lastModifiedAt": None,  # Marquez fills it from its old PUT alone, never from an event
        "lastLifecycleState": _lifecycle(view.facets),
    }


def dataset_version(view: DatasetView, claim: Claim, run: RunView | None) -> Json:
    """A DatasetVersion: one committed generation, as the run that wrote it described it."""
    facets: Facets = {}
    for write in run.writes if run else ():
        if write.claim.version == claim.version and write.claim.dataset == view.canonical:
            facets = {**write.facets, **write.own_facets}
    named = _named(view, facets)
    schema = [f"{field['name']}:{field['type']}" for field in named["fields"]]
    return {
        **named,
        "createdAt": shown(claim.commit_time),
        "version": generation_uuid(view.canonical, claim.version),
        "lifecycleState": _lifecycle(facets),
        "currentSchemaVersion": name_uuid("schema", *schema) if schema else None,
        "createdByRun": run_shape(run) if run else None,
        "facets": facets,
        "generation": claim.version,
    }


def _named(view: DatasetView, facets: Facets) -> Json:
    return {
        "id": view.name._asdict(),
        "type": _type(facets),
        "name": view.name.name,
        "physicalName": view.canonical.name,
        "namespace": view.name.namespace,
        "sourceName": read.text_of(facets, "dataSource", "name") or "default",
        "fields": read.fields(facets),
        "tags": read.tags(facets),
        "description": read.text_of(facets, "documentation", "description"),
    }


def _lifecycle(facets: Facets) -> str:
    return read.text_of(facets, "lifecycleStateChange", "lifecycleStateChange") or ""


def _type(facets: Facets) -> str:
    kind = (read.text_of(facets, "datasetType", "datasetType") or "").upper()
    return "STREAM" if kind in ("STREAM", "TOPIC") else "DB_TABLE"
