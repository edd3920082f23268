"""Pages about dead letters."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from rich.console import RenderableType
from rich.text import Text

from .facts import Facts, listing
from .words import first_line, plain, text

Answer = dict[str, Any]

_SHOWN_CHARS = 4000


def letters_page(letters: list[Answer], *, truncated: bool) -> list[RenderableType]:
    """The letters as rows."""
    if not letters:
        return [Text("No dead letters.")]
    table = listing("id", "given up", "state", "reason", "tried", "bytes", "error")
    for letter in letters:
        table.add_row(
            str(letter["id"]),
            moment(letter["appendedMs"]),
            plain(letter["state"]),
            plain(letter["reason"]),
            str(letter["attempts"]),
            str(letter["bytes"]),
            first_line(letter["error"], max_chars=90),
        )
    page: list[RenderableType] = [table]
    if truncated:
        page.append(Text(f"Truncated by --limit; go on with --after {letters[-1]['id']}.", style="yellow"))
    return page


def letter_page(letter: Answer) -> list[RenderableType]:
    """One letter whole."""
    origin = letter["origin"]
    facts = Facts()
    facts.add("letter", text(letter["id"], "bold"))
    facts.add("state", plain(letter["state"]))
    facts.add("reason", text(letter["reason"], "red"))
    facts.add("stage", plain(letter["stage"]))
    facts.add("error", plain(letter["error"]))
    facts.add("where", plain(letter["where"]))
    facts.add("lacking in", plain(", ".join(letter["failedStores"])))
    facts.add("event id", plain(letter["eventId"] or ""))
    facts.add("tried", str(letter["attempts"]))
    facts.add("first failed", moment(letter["firstFailedMs"]) if letter["firstFailedMs"] is not None else None)
    facts.add("given up", moment(letter["appendedMs"]))
    facts.add("stood at", plain(f"{origin['topic']}/{origin['partition']}/{origin['offset']}"))
    value = letter["value"] or ""
    cut = f"\n… {letter['bytes']} bytes in all; --raw writes them" if len(value) > _SHOWN_CHARS else ""
    return [facts.table, "", Text(plain(value[:_SHOWN_CHARS]) + cut)]


def moment(milliseconds: int) -> str:
    """Unix milliseconds as people read them."""
    return datetime.fromtimestamp(milliseconds / 1000, UTC).isoformat(timespec="seconds").replace("+00:00", "Z")
