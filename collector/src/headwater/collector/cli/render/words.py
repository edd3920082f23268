"""Small texts that all pages share."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from rich.text import Text

STATE_STYLES = {
    "COMPLETED": "green",
    "RUNNING": "cyan",
    "NEW": "dim",
    "FAILED": "red",
    "ABORTED": "yellow",
    "INTERRUPTED": "yellow",
    "Succeeded": "green",
    "Running": "cyan",
    "Queued": "dim",
    "Failed": "red",
    "Aborted": "yellow",
    "DepMiss": "yellow",
    "Interrupted": "yellow",
    "published": "green",
    "candidate": "yellow",
    "committed": "green",
    "conflict": "bold red",
    "declared": "green",
    "sole": "green",
    "inferred": "yellow",
    "unknown": "red",
}
_CONTROL = {code: f"\\x{code:02x}" for code in (*range(0x20), *range(0x7F, 0xA0))}


def plain(value: object) -> str:
    """Text that came from events, with control characters made visible: a name must not steer the terminal."""
    return str(value).translate(_CONTROL)


def text(value: object, style: str = "") -> Text:
    """``plain`` as rich text."""
    return Text(plain(value), style=style)


def word(value: object) -> Text:
    """A state, status or grade in its colour."""
    return text(value, STATE_STYLES.get(str(value), ""))


def name_of(name: Mapping[str, Any] | None) -> str:
    """``name (namespace)``."""
    return f"{plain(name['name'])} ({plain(name['namespace'])})" if name else "-"


def version_of(version: str | None) -> Text:
    """A generation, or that none is known."""
    return text(version, "bold") if version else Text("no generation known", style="red")


def duration_of(started: str | None, ended: str | None) -> str:
    """``1 h 02 min``, ``12.3 s`` or nothing."""
    if not started or not ended:
        return ""
    seconds = (_instant(ended) - _instant(started)).total_seconds()
    if seconds >= 3600:
        return f"{seconds // 3600:.0f} h {seconds % 3600 / 60:02.0f} min"
    return f"{seconds // 60:.0f} min {seconds % 60:02.0f} s" if seconds >= 60 else f"{seconds:.3g} s"


def first_line(message: object, *, max_chars: int = 160) -> str:
    """The first line of an error, cut where it is long."""
    lines = str(message).strip().splitlines() or [""]
    head = plain(lines[0])
    return head if len(head) <= max_chars else head[: max_chars - 1] + "…"


def truncation_of(answer: Mapping[str, Any]) -> list[Text]:
    """The line that every truncated answer ends with."""
    if not answer.get("truncated"):
        return []
    by = answer.get("truncatedBy")
    following = answer.get("next")
    note = "Truncated" + (f" by {plain(by)}" if by else "")
    note += f"; go on with --after {plain(following)}" if isinstance(following, str) and following else ""
    return [Text(note + ".", style="yellow")]


def _instant(display: str) -> datetime:
    whole, dot, rest = display.rstrip("Z").partition(".")
    return datetime.fromisoformat(f"{whole}{dot}{rest[:6].ljust(6, '0') if rest else ''}+00:00")
