"""The event that says a word about generations."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from headwater.collector.catalog import ANNOTATION_FACET
from headwater.collector.marks import BAD_FACET, WITHDRAWAL_FACET
from headwater.shared import times
from headwater.shared.event import Name

PRODUCER: Final = "urn:headwater:cli"
_EVENT_SCHEMA: Final = "https://openlineage.io/spec/2-0-2/OpenLineage.json#/$defs/DatasetEvent"
_SCHEMAS: Final = {
    WITHDRAWAL_FACET: "urn:headwater:facet:HeadwaterWithdrawalDatasetFacet:1-0-0",
    BAD_FACET: "urn:headwater:facet:HeadwaterBadDatasetFacet:1-0-0",
    ANNOTATION_FACET: "https://openlineage.io/spec/2-0-2/OpenLineage.json#/$defs/DatasetFacet",
}


def mark_event(
    dataset: Name, facet: str, generations: list[str], said: Mapping[str, Any], time: str, last_seen: str
) -> dict[str, Any]:
    """A DatasetEvent of ``time`` (canonical). It is no sign of the dataset's life, which was ``last_seen`` before."""
    values = {facet: {"generations": generations, **said}, ANNOTATION_FACET: {"asOf": last_seen}}
    facets = {name: {"_producer": PRODUCER, "_schemaURL": _SCHEMAS[name], **value} for name, value in values.items()}
    return {
        "eventTime": times.display(time),
        "producer": PRODUCER,
        "schemaURL": _EVENT_SCHEMA,
        "dataset": {"namespace": dataset.namespace, "name": dataset.name, "facets": facets},
    }
