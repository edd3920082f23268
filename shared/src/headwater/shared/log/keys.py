"""The key of a record: what keeps the events of one run, and of all runs below one root, in one partition and in order.

The convention is that of OpenLineage's own Kafka transport (openlineage-python ``transport/kafka.py``), so that both
may write to one topic.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..engine import default_engine


def partition_key(body: Mapping[str, Any]) -> bytes | None:
    """``run:{namespace}/{name}`` of the root job, else of the parent job, else of the run's own job;
    ``job:{namespace}/{name}`` of a job event, ``dataset:{namespace}/{name}`` of a dataset event. None for what names
    none of these."""
    run = body.get("run")
    if isinstance(run, Mapping):
        parent = _at(run, "facets", "parent")
        for job in (_at(parent, "root", "job"), _at(parent, "job"), body.get("job")):
            if (key := _key("run", job)) is not None:
                return key
        return None
    return _key("dataset", body.get("dataset")) or _key("job", body.get("job"))


def partition_key_of(raw: bytes) -> bytes | None:
    """The key of an event's bytes; None for bytes that are no JSON object."""
    try:
        body = default_engine().loads(raw)
    except (ValueError, RecursionError):
        return None
    return partition_key(body) if isinstance(body, dict) else None


def _key(kind: str, named: Any) -> bytes | None:
    if not isinstance(named, Mapping):
        return None
    namespace, name = named.get("namespace"), named.get("name")
    if not (isinstance(namespace, str) and isinstance(name, str) and namespace and name):
        return None
    return f"{kind}:{namespace}/{name}".encode("utf-8", "replace")


def _at(value: Any, *path: str) -> Any:
    for part in path:
        value = value.get(part) if isinstance(value, Mapping) else None
    return value
