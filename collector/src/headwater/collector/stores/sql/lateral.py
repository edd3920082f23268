"""One look-up for each of many sets of values, as one statement for PostgreSQL.

The sets come as arrays; the look-up stands beside them as a LATERAL subquery, which the server plans and begins once. A
statement for each set, even in one pipeline, costs the server ten times as much.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from headwater.collector.stores.sql.arrays import ByteaArray, LongArray, PackedArray, TextArray

MAX_SETS: Final = 10_000
"""In one statement."""
_TYPES: Final[dict[type, str]] = {bytes: "bytea", str: "text", int: "bigint"}


class Lateral:
    """Made of a look-up's text for psycopg, the names of its parameters in order, and those that are constants."""

    def __init__(self, sql: str, names: Sequence[str], constants: Mapping[str, Any]) -> None:
        self._parts = sql.split("%s")
        self._names, self._constants = list(names), dict(constants)

    def statement(self, sets: Sequence[Mapping[str, Any]]) -> tuple[str, list[Any]]:
        """(text, parameters). A row's last column is its set's number, from 1 on; the rows of a set are in order."""
        given = [name for name in dict.fromkeys(self._names) if name in sets[0]]
        types = [_TYPES[type(sets[0][name])] for name in given]
        arrays = [_array([each[name] for each in sets]) for name in given]
        sql = "".join(
            part + (f'asked."{name}"' if name in given else "%s")
            for part, name in zip(self._parts, [*self._names, ""], strict=True)
        ).removesuffix("%s")
        columns = ", ".join(f"%s::{each}[]" for each in types)
        named = ", ".join(f'"{name}"' for name in given)
        text = (
            f"SELECT found.*, asked.n FROM unnest({columns}) WITH ORDINALITY AS asked({named}, n) "  # noqa: S608
            f"CROSS JOIN LATERAL ({sql}) AS found"
        )
        return text, [*arrays, *(self._constants[name] for name in self._names if name not in given)]


def _array(values: list[Any]) -> PackedArray:
    if isinstance(values[0], bytes):
        return ByteaArray(values)
    return TextArray(values) if isinstance(values[0], str) else LongArray(values)
