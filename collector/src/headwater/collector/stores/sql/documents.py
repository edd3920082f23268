"""An event as a row of the table ``document``, without ``seq``."""

from __future__ import annotations

from typing import Any

import orjson

from headwater.collector.merging.keys import name_key, run_key
from headwater.collector.stores.base import ProjectedEvent


def document_row(projected: ProjectedEvent, received_at: str) -> tuple[Any, ...]:
    """In the order of the table's columns."""
    said, problems = projected.event, projected.projection.problems
    return (
        bytes.fromhex(said.event_id),
        said.kind,
        said.event_type,
        said.event_time,
        run_key(said.run_id) if said.run_id else None,
        name_key(said.job) if said.job else None,
        received_at,
        orjson.dumps([tuple(each) for each in problems]).decode() if problems else None,
        said.raw,
    )
