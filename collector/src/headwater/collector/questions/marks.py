"""How answers show what was said of a generation."""

from __future__ import annotations

from headwater.collector.derive.marks import Standing
from headwater.collector.facts import Mark
from headwater.collector.questions.shapes import Json, time_json


def standing_json(standing: Standing | None, at: str | None) -> Json:
    """``withdrawn`` and ``bad``: the word that holds, or None."""
    said = standing or Standing()
    return {kind: mark_json(said.holds(kind, at)) for kind in ("withdrawn", "bad")}


def mark_json(mark: Mark | None) -> Json | None:
    """Since when it holds, why, who said it and in which event."""
    if mark is None:
        return None
    return {
        "since": time_json(mark.time),
        "reason": mark.reason,
        "author": mark.author,
        "eventId": mark.event_id,
    }


def said_json(standing: Standing) -> list[Json]:
    """All that was said, oldest first; ``stands`` false takes the word back."""
    return [{"kind": mark.kind, "stands": mark.stands, **(mark_json(mark) or {})} for mark in standing.said]
