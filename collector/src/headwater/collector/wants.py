"""Wants: that somebody asked for partitions, which runs serve a want, and which wants a run lacked something for.

A want is said by a DatasetEvent about the want's id in the reserved namespace ``headwater:wants``, or by a dep-miss of
a run. Which wants a run serves, and that it missed dependencies, are run facets. See docs/semantics.md, rules 19 to 21;
the schemas stand in docs/facets.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from headwater.collector.catalog import RESERVED
from headwater.collector.facts import WantRole, WantRun, WantSaid
from headwater.shared.codec import run_uuid
from headwater.shared.event import Name
from headwater.shared.facets import DEP_MISS as DEP_MISS_FACET
from headwater.shared.facets import QUEUED as QUEUED_FACET
from headwater.shared.facets import WANT as WANT_FACET
from headwater.shared.facets import WANTS as WANTS_FACET

__all__ = [
    "DEP_MISS",
    "DEP_MISS_FACET",
    "QUEUED",
    "QUEUED_FACET",
    "SILENT",
    "WANTING",
    "WANTS_FACET",
    "WANTS_NAMESPACE",
    "WANT_FACET",
    "links_of",
    "missing_of",
    "said_of",
    "word_of",
]

WANTS_NAMESPACE: Final = f"{RESERVED}wants"
"""A dataset in it is a want, its name the want's id."""
QUEUED: Final = "QUEUED"
"""The word for it among a run's states (``RunState.type``); no ``eventType``."""
DEP_MISS: Final = "DEP_MISS"
"""Likewise: said beside the ABORT or FAIL of the same event."""
WANTING: Final = frozenset({WANTS_FACET, QUEUED_FACET, DEP_MISS_FACET})
"""Facets of a run that say more than facets do."""
SILENT: Final = frozenset({QUEUED, DEP_MISS})
"""Words that set no state of the run (rule 1); a job run's status comes from them, too (rule 21)."""


def said_of(want_id: str, facet: Mapping[str, Any], time: str, event_id: str) -> WantSaid:
    """What a readable ``headwater_want`` facet, or an entry of a dep-miss that has ``partitions``, says of a want. An
    id that is no UUID becomes one, as a run's does."""
    named = {Name(each["namespace"], each["name"]) for each in facet["partitions"]}
    return WantSaid(run_uuid(want_id), time, event_id, tuple(sorted(named)), facet.get("comment"))


def links_of(
    run: str, facets: Mapping[str, Mapping[str, Any]], time: str, event_id: str
) -> Iterator[WantRun | WantSaid]:
    """What the readable facets of a run say: which wants it serves, which it spawned. Each key once."""
    serves = facets.get(WANTS_FACET)
    for want in sorted({run_uuid(each) for each in serves["wants"]} if serves else ()):
        yield WantRun(want, WantRole.SERVES, run)
    spawned: dict[str, WantSaid | None] = {}
    for each in (facets.get(DEP_MISS_FACET) or {}).get("wants") or ():
        want = run_uuid(each["id"])
        said = said_of(want, each, time, event_id) if each.get("partitions") else None
        spawned[want] = said or spawned.get(want)
    for want, said in sorted(spawned.items()):
        yield WantRun(want, WantRole.SPAWNED, run)
        if said is not None:
            yield said


def missing_of(facets: Mapping[str, Mapping[str, Any]]) -> list[Name]:
    """The partitions that the run's last dep-miss named."""
    missing = (facets.get(DEP_MISS_FACET) or {}).get("missing") or ()
    return sorted({Name(each["namespace"], each["name"]) for each in missing})


def word_of(event_type: str | None, facets: Mapping[str, Any]) -> str | None:
    """``QUEUED`` for an event without a state that carries the facet, ``DEP_MISS`` for an end without success that
    carries its own."""
    if event_type in ("FAIL", "ABORT"):
        return DEP_MISS if DEP_MISS_FACET in facets else None
    return QUEUED if event_type in (None, "OTHER") and QUEUED_FACET in facets else None
