"""Several statements to PostgreSQL in one trip, and back in binary."""

from __future__ import annotations

import weakref
from collections.abc import Sequence
from typing import Any, Final, TypeAlias

from sqlalchemy.engine import Connection

Row: TypeAlias = tuple[Any, ...]
Asked: TypeAlias = tuple[str, Sequence[Any]]
"""A statement with a ``%s`` for each parameter, and the parameters."""
_LOOKING_UP: Final = "headwater_looking_up"
_BY_INDEX: Final = (
    "SELECT set_config('enable_seqscan', 'off', true), set_config('enable_hashjoin', 'off', true), "
    "set_config('enable_mergejoin', 'off', true), set_config('plan_cache_mode', 'force_generic_plan', true)"
)
"""Whatever the statistics of a young or small table say: to hash a thousand rows for ten of them takes longer. And one
plan for all: to plan such a look-up takes longer than to run it."""


def answers(connection: Connection, *asked: Asked) -> list[list[Row]]:
    """The rows of each statement, in the connection's transaction."""
    driver: Any = connection.connection.driver_connection
    with driver.pipeline():  # of one statement, too: what begins the transaction goes with it
        cursors = [driver.execute(sql, values, binary=True) for sql, values in asked]
    return [cursor.fetchall() if cursor.description else [] for cursor in cursors]


def look_up(connection: Connection, *asked: Asked) -> list[list[Row]]:
    """As ``answers``; from now on, until the transaction ends, rows are looked up by index, with one plan for all."""
    found = answers(connection, (_BY_INDEX, ()), *asked)
    connection.info[_LOOKING_UP] = weakref.ref(connection)
    return found[1:]


def looks_up(connection: Connection) -> bool:
    """Whether ``look_up`` was called. A connection of SQLAlchemy's has one transaction here."""
    found = connection.info.get(_LOOKING_UP)
    return found is not None and found() is connection
