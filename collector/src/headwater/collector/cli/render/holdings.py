"""What stores hold, in words."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from headwater.collector.maintenance.planning import Holdings


def told(held: Holdings, *, graph_only: bool = False) -> str:
    """``graph: 12 runs, 3 jobs``; ``graph_only``: without the whole events."""
    parts = [] if held.events is None or graph_only else [f"{held.events:,} events"]
    parts += [f"{count:,} {name}" for name, count in (held.facts or {}).items()]
    return f"{held.name}: {', '.join(parts) or held.unreadable or 'cannot be counted'}"


def holdings_json(held: Holdings) -> dict[str, object]:
    """JSON-ready, with stable keys."""
    return {"store": held.name, "events": held.events, "facts": dict(held.facts) if held.facts else None}
