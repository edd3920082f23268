"""Differences of manifests, a line each."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any

_WIDTH = 120


def difference_lines(found: Iterable[Mapping[str, Any]]) -> list[str]:
    """``~ code.sourceCodeLocation.version: "a1" -> "b2"``; ``+`` and ``-`` for what only one side has."""
    return [_line(each) for each in found]


def _line(each: Mapping[str, Any]) -> str:
    if each["kind"] == "added":
        return f"+ {each['where']}: {_short(each['after'])}"
    if each["kind"] == "removed":
        return f"- {each['where']}: {_short(each['before'])}"
    return f"~ {each['where']}: {_short(each['before'])} -> {_short(each['after'])}"


def _short(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= _WIDTH else f"{text[: _WIDTH - 1]}…"
