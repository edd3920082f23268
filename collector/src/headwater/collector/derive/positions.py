"""Where in a stream, a table or a folder a run read an input: the input facet ``headwater_position``.

Standard facets say what they have words for: a table's snapshot is its ``version``, partitions and files are a
``subset``. No standard facet tells the offsets of a Kafka topic or a watermark, so this one does.
"""

from __future__ import annotations

from typing import Any, Final

from headwater.collector.derive.identity import Identity
from headwater.collector.facts import Scope
from headwater.collector.stores.reading import RunFacts
from headwater.shared.event import Name

POSITION_FACET: Final = "headwater_position"
"""``positions``: objects with ``kind`` (offset, watermark, snapshot, file, ...), ``from`` and ``to`` (what was read:
from inclusive, to exclusive), ``partition``."""


def positions_of(run: RunFacts, dataset: Name, version: str, identity: Identity) -> list[dict[str, Any]]:
    """The positions of this input (canonical), stated with this version or with none."""
    return [
        position
        for (scope, name, declared), facets in sorted(run.io_facets.items())
        if scope is Scope.INPUT_OWN and declared in ("", version) and identity.of(name) == dataset
        for position in (facets.get(POSITION_FACET) or {}).get("positions") or ()
    ]
