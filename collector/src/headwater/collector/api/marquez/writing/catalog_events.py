"""Events that describe namespaces, sources and tags, put tags on things, and delete."""

from __future__ import annotations

from headwater.collector.catalog import (
    ANNOTATION_FACET,
    DELETED_FACET,
    NAMESPACE_FACET,
    NAMESPACES,
    SOURCE_FACET,
    SOURCES,
    TAGS,
)
from headwater.shared import times
from headwater.shared.event import Name

from ...services import Json
from ..tags import tag_facet_name
from .envelope import dataset_event, documentation, facet, job_event

DELETED = {"_deleted": True}


def namespace_event(now: str, namespace: str, owner: str, description: str | None) -> Json:
    """Owner and description of a namespace."""
    facets = {NAMESPACE_FACET: facet(ownerName=owner), **documentation(description)}
    return dataset_event(now, Name(NAMESPACES, namespace), facets)


def source_event(now: str, source: str, kind: str, url: str, description: str | None) -> Json:
    """Where data lies."""
    facets = {SOURCE_FACET: facet(type=kind, connectionUrl=url), **documentation(description)}
    return dataset_event(now, Name(SOURCES, source), facets)


def tag_event(now: str, tag: str, description: str | None) -> Json:
    """A tag that there is."""
    return dataset_event(now, Name(TAGS, tag), documentation(description))


def tagging(tag: str, field: str | None, *, given: bool) -> Json:
    """The facet that gives or takes one tag."""
    name = tag_facet_name(tag, field)
    if not given:
        return {name: facet(**DELETED)}
    return {name: facet(tag=tag) if field is None else facet(tag=tag, field=field)}


def annotation(seen: str) -> Json:
    """The event is no sign of life: its subject was last seen at ``seen``."""
    return {ANNOTATION_FACET: facet(asOf=times.display(seen))}


def dataset_tag_event(now: str, dataset: Name, seen: str, tag: str, field: str | None, *, given: bool) -> Json:
    """A tag of a dataset or of one of its fields is given or taken."""
    return dataset_event(now, dataset, {**annotation(seen), **tagging(tag, field, given=given)})


def job_tag_event(now: str, job: Name, seen: str, tag: str, *, given: bool) -> Json:
    """A tag of a job is given or taken."""
    return job_event(now, job, {**annotation(seen), **tagging(tag, None, given=given)})


def job_deletion(now: str, job: Name, seen: str) -> Json:
    """The job is hidden until it is seen after ``seen``."""
    return job_event(now, job, _deletion(seen, seen))


def dataset_deletion(now: str, dataset: Name, seen: str) -> Json:
    """The dataset is hidden until it is seen after ``seen``, under this name."""
    return dataset_event(now, dataset, _deletion(seen, seen))


def namespace_deletion(now: str, namespace: str, seen: str, until: str) -> Json:
    """The namespace, and each of its jobs and datasets, is hidden until seen after ``until``. ``seen``: when the
    namespace was seen last."""
    return dataset_event(now, Name(NAMESPACES, namespace), _deletion(seen, until))


def _deletion(seen: str, until: str) -> Json:
    return {**annotation(seen), DELETED_FACET: facet(asOf=times.display(until))}
