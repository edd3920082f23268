"""Wants: what somebody asks a build system for, and what a job run says of them (the ``headwater_want*`` facets)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Protocol

from headwater.shared.clock import Clock
from headwater.shared.facets import WANT

from ._dataset import DatasetLike, mention_of, several
from ._event_time import EventTimes
from ._facets import facet
from ._ids import new_want_id

DATASET_EVENT_SCHEMA_URL = "https://openlineage.io/spec/2-0-2/OpenLineage.json#/$defs/DatasetEvent"
NAMESPACE = "headwater:wants"
"""Of the dataset that stands for a want; the want's id is its name."""


WantLike = Any
"""A want's id: a text (a UUID, or any other name of it), or a ``uuid.UUID``."""


class WantHost(Protocol):
    """What saying a want needs of the producer."""

    producer_uri: str
    clock: Clock

    def publish(self, event: dict[str, Any]) -> bool: ...


def say_want(host: WantHost, want_id: str, partitions: Any, comment: str | None) -> None:
    """Emits the event. Raises TypeError or KeyError for what is no partition, ValueError where there is none."""
    host.publish(
        {
            "eventTime": EventTimes(host.clock).next(),
            "dataset": {
                "namespace": NAMESPACE,
                "name": want_id,
                "facets": {WANT: facet("dataset", WANT, wanted(partitions, comment), host.producer_uri)},
            },
            "producer": host.producer_uri,
            "schemaURL": DATASET_EVENT_SCHEMA_URL,
        }
    )


def wanted(partitions: Any, comment: str | None) -> dict[str, Any]:
    """What is wanted, as a facet says it."""
    names = partition_names(partitions)
    if not names:
        raise ValueError("a want names one partition at least")
    return {"partitions": names} | ({} if comment is None else {"comment": str(comment)})


def partition_names(given: Any) -> list[dict[str, str]]:
    """Each partition once, in the given order; a partition is a dataset, whatever its version."""
    mentions = [mention_of(one) for one in several(given)]
    names = dict.fromkeys((one.namespace, one.name) for one in mentions)
    return [{"namespace": namespace, "name": name} for namespace, name in names]


def want_ids(given: Any) -> list[str]:
    """Ids of wants: one or several, each a text or a UUID."""
    each: Iterable[Any] = given if isinstance(given, (list, tuple, set, frozenset)) else [given]
    return list(dict.fromkeys(str(one) for one in each))


def spawned(wants: Sequence[Any] | None, missing: Sequence[DatasetLike]) -> list[dict[str, Any]]:
    """The wants of a dep-miss as its facet lists them: ids of wants that were said elsewhere, or mappings with
    ``partitions`` (and ``id``, ``comment``), which say them now. None: one new want for all that is missing."""
    if wants is None:
        return [{"id": new_want_id(), **wanted(missing, None)}] if several(missing) else []
    listed: list[dict[str, Any]] = []
    for one in wants if isinstance(wants, (list, tuple)) else [wants]:
        if isinstance(one, Mapping):
            told = wanted(one["partitions"], one.get("comment")) if one.get("partitions") else {}
            listed.append({"id": str(one.get("id") or new_want_id()), **told})
        else:
            listed.append({"id": str(one)})
    return listed
