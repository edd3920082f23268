"""Walks over documents in steps that fit into memory, whatever the documents weigh."""

from __future__ import annotations

from typing import Any

from sqlalchemy import Select
from sqlalchemy.engine import Connection

MAX_BYTES = 8 * 1024 * 1024
"""Of the documents of one step; a single larger one is a step of its own."""


def end_of_step(connection: Connection, ahead: Select[Any]) -> int | None:
    """The last ``seq`` that goes into the next step, None if nothing is ahead. ``ahead``: (seq, bytes) in order."""
    last, size = None, 0
    for seq, length in connection.execute(ahead):
        size += length
        if last is not None and size > MAX_BYTES:
            break
        last = seq
    return last
