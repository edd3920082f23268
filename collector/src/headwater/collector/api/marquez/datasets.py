"""Marquez's Dataset and DatasetVersion."""

from __future__ import annotations

from headwater.collector.catalog import DATASET_FACET
from headwater.collector.questions.shapes import name_json
from headwater.collector.stores.reading import Claim, Facets

from ..services import Json
from . import facets as read
from . import tags
from .facets import shown_facets
from .fields import fields_of
from .runs import run as run_shape
from .runs import shown
from .versions import generation_uuid, name_uuid
from .views import DatasetView, RunView


def dataset(view: DatasetView) -> Json:
    """A Dataset. Marquez has no ``generation`` (the current one by its own name), ``canonical``, ``aliases`` and
    ``owners``."""
    facets, canonical = view.facets, view.canonical
    generation = view.current and view.current.version
    shape = dataset_data(view)
    shape["tags"] = shape["allTags"]
    location = read.text_of(facets, DATASET_FACET, "schemaLocation")
    if location:
        shape["schemaLocation"] = location
    shape["currentVersion"] = generation_uuid(canonical, generation) if view.versioned else None
    shape["columnLineage"] = read.column_lineage(facets)
    shape["facets"] = shown_facets(facets)
    shape["deleted"] = view.deleted
    shape["owners"] = read.owners(facets)
    shape["generation"] = generation
    shape["canonical"] = name_json(canonical)
    shape["aliases"] = [each._asdict() for each in view.aliases]
    return shape


def written_dataset(view: DatasetView) -> Json:
    """How a write is answered: Marquez leaves the column lineage out."""
    return {**dataset(view), "columnLineage": None}


def dataset_data(view: DatasetView) -> Json:
    """The ``data`` of a DATASET node in a graph. Marquez leaves its ``tags`` empty; they are in ``allTags``."""
    data = _named(view, view.facets)
    made_by_put = DATASET_FACET in view.facets and view.current is None
    data["allTags"], data["tags"] = data["tags"], []
    data["createdAt"] = shown(view.first_time)
    data["updatedAt"] = shown(view.last_time)
    data["lastModifiedAt"] = None  # Marquez fills it from its old PUT alone, never from an event
    data["lastLifecycleState"] = _lifecycle(view.facets) if view.versioned and not made_by_put else None
    return data


def dataset_version(view: DatasetView, claim: Claim | None, run: RunView | None) -> Json:
    """A DatasetVersion: one generation, as the run that wrote it described it; of a dataset that nobody wrote (claim
    None) what is known."""
    facets: Facets = {} if claim else view.facets
    for write in run.writes if run and claim else ():
        assert claim is not None
        if write.claim.version == claim.version and write.claim.dataset == view.canonical:
            facets = {**write.facets, **write.own_facets}
    named = _named(view, facets)
    schema = [f"{field['name']}:{field['type']}" for field in named["fields"]]
    return {
        **named,
        "createdAt": shown(_created(view, claim, run)),
        "version": generation_uuid(view.canonical, claim and claim.version),
        "lifecycleState": _lifecycle(facets),
        "currentSchemaVersion": name_uuid("schema", *schema) if schema else None,
        "createdByRun": run_shape(run) if run else None,
        "facets": shown_facets(facets),
        "generation": claim and claim.version,
    }


def _created(view: DatasetView, claim: Claim | None, run: RunView | None) -> str | None:
    """When the generation was committed; a candidate's run says when it was first named."""
    if claim is None:
        return view.first_time
    return claim.commit_time or (run and run.facts.first_time) or view.first_time


def _named(view: DatasetView, facets: Facets) -> Json:
    tagged = tags.tags_by_field(facets)
    return {
        "id": name_json(view.name),
        "type": _type(facets),
        "name": view.name.name,
        "physicalName": read.text_of(facets, DATASET_FACET, "physicalName") or view.canonical.name,
        "namespace": view.name.namespace,
        "sourceName": read.text_of(facets, "dataSource", "name") or "default",
        "fields": fields_of(facets, tagged),
        "tags": tagged.get(None, []),
        "description": read.text_of(facets, "documentation", "description"),
    }


def _lifecycle(facets: Facets) -> str:
    return read.text_of(facets, "lifecycleStateChange", "lifecycleStateChange") or ""


def _type(facets: Facets) -> str:
    kind = (read.text_of(facets, "datasetType", "datasetType") or "").upper()
    return "STREAM" if kind in ("STREAM", "TOPIC") else "DB_TABLE"
