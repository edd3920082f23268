"""Texts of any length in indexes that hold only so much.

A B-tree of PostgreSQL takes rows of some 2,700 bytes; names, versions and facet names may be longer. There an index
holds the text itself where it is short, else its beginning and its SHA-256; nothing that is short looks like that.
SQLite takes any length, and there the same expressions are the plain column.
"""

from __future__ import annotations

from typing import Any, Final

from sqlalchemy import Boolean, Text
from sqlalchemy.ext.compiler import compiles
from sqlalchemy.sql.compiler import SQLCompiler
from sqlalchemy.sql.elements import ColumnElement

MAX_INDEXED_BYTES: Final = 120
"""Of a text that stands in an index as it is."""
_SHORT = (
    "CASE WHEN octet_length({0}) <= {1} THEN {0} ELSE left({0}, 64) || "
    "encode(sha256(CAST(replace({0}, '\\', '\\\\') AS bytea)), 'hex') END"
)
"""Doubled backslashes are how a text becomes its own bytes, by functions that an index may use."""


def bounded_sql(expression: str) -> str:
    """What stands in a PostgreSQL index for a text expression."""
    return f"({_SHORT.format(expression, MAX_INDEXED_BYTES)})"


class SameText(ColumnElement[bool]):
    """``column = value`` by an index over the bounded text."""

    inherit_cache = False
    type = Boolean()

    def __init__(self, column: ColumnElement[Any], value: Any) -> None:
        self.equal: Any = column == value

    def self_group(self, against: Any = None) -> SameText:
        """A comparison as it stands: SQLAlchemy would ask SQLite whether it equals 1, and no index can answer that."""
        return self


def same_text(column: ColumnElement[Any], value: Any) -> ColumnElement[bool]:
    """Equality with a text that may be long; ``value``: a bind parameter or a constant."""
    return SameText(column, value)


@compiles(SameText)
def _plain(element: SameText, compiler: SQLCompiler, **kw: Any) -> str:
    return compiler.process(element.equal, **kw)


@compiles(SameText, "postgresql")
def _bounded(element: SameText, compiler: SQLCompiler, **kw: Any) -> str:
    column, value = (compiler.process(side, **kw) for side in (element.equal.left, element.equal.right))
    return f"({bounded_sql(column)} = {bounded_sql(f'CAST({value} AS text)')} AND {column} = {value})"


def beginning_sql(expression: str) -> str:
    """What stands in a PostgreSQL index that puts texts in order: texts that begin alike are sorted when asked for."""
    return f"left({expression}, 100)"


class Beginning(ColumnElement[str]):
    """A column to order by, before the column itself; SQLite orders by the column at once."""

    inherit_cache = False
    type = Text()

    def __init__(self, column: ColumnElement[Any]) -> None:
        self.column: Any = column


@compiles(Beginning)
def _whole(element: Beginning, compiler: SQLCompiler, **kw: Any) -> str:
    return compiler.process(element.column, **kw)


@compiles(Beginning, "postgresql")
def _beginning(element: Beginning, compiler: SQLCompiler, **kw: Any) -> str:
    return beginning_sql(compiler.process(element.column, **kw))
