"""Search for names by what is in them, see ``search_tables``."""

from __future__ import annotations

from typing import Any, Final, NamedTuple

from sqlalchemy.engine import Connection

from headwater.collector.catalog import RESERVED
from headwater.collector.stores.reading import MAX_MATCHES, Hit, Search
from headwater.collector.stores.sql.backends.postgres.search_tables import KINDS
from headwater.collector.stores.sql.parts import AFTER, MAX_CANDIDATES, telling
from headwater.collector.stores.sql.query import driver_connection
from headwater.collector.stores.sql.search import fold
from headwater.shared.event import Name

_JOB: Final = KINDS["job"]
_GOING_ON: Final = "FROM search_part WHERE part >= %s AND part < %s"
_CANDIDATES: Final = f"SELECT count(*) FROM (SELECT {_GOING_ON} LIMIT {MAX_CANDIDATES + 1}) AS few"  # noqa: S608
_WITH_PART: Final = f"(SELECT DISTINCT kind, key {_GOING_ON}) AS p JOIN search_name AS n USING (kind, key)"
_ANY: Final = "search_name AS n"
_NAMESPACE: Final = "coalesce(j.namespace, d.namespace)"
_LAST: Final = "coalesce(j.last_time, d.last_time)"
_GONE: Final = "coalesce(j.deleted, d.deleted)"
_MATCHES: Final = (
    f"SELECT n.kind, {_NAMESPACE} AS namespace, coalesce(j.name, d.name) AS name, {_LAST} AS last_time, "  # noqa: S608
    f"n.name AS folded FROM {{}} LEFT JOIN job AS j ON j.key = CASE n.kind WHEN {_JOB} THEN n.key END "
    f"LEFT JOIN dataset AS d ON d.key = CASE n.kind WHEN {_JOB} THEN NULL ELSE n.key END "
    "WHERE n.name LIKE %s ESCAPE '!' AND coalesce(j.first_time, d.first_time) IS NOT NULL "
    f"AND ({_GONE} IS NULL OR {_GONE} < {_LAST}) AND NOT starts_with({_NAMESPACE}, '{RESERVED}')"
)
_ORDER: Final = "folded, namespace, name, kind DESC"
_NEWEST: Final = f"last_time DESC, {_ORDER}"
_PAGE: Final = (
    f"WITH found AS MATERIALIZED ({{}} LIMIT {MAX_MATCHES}) "  # noqa: S608 - constants alone
    "SELECT total, kind, namespace, name, last_time FROM (SELECT count(*) AS total FROM found) AS counted "
    "LEFT JOIN (SELECT * FROM found ORDER BY {order} LIMIT %s OFFSET %s) AS page ON true ORDER BY {order}"
)
_LOOK_UP: Final = (
    "SELECT set_config('enable_seqscan', 'off', true), set_config('enable_bitmapscan', 'off', true), "
    "set_config('enable_hashjoin', 'off', true), set_config('enable_mergejoin', 'off', true), "
    "set_config('max_parallel_workers_per_gather', '0', true), "
    "set_config('plan_cache_mode', 'force_generic_plan', true)"
)
"""Whatever the statistics say: few rows are wanted of each, by one plan for all."""
_CHOOSE: Final = (
    "SELECT set_config('enable_seqscan', %s, true), set_config('enable_bitmapscan', 'on', true), "
    "set_config('plan_cache_mode', 'auto', true)"
)


class _Condition(NamedTuple):
    sql: str
    values: list[Any]


def search(connection: Connection, where: Search, limit: int, offset: int) -> tuple[int, list[Hit]]:
    """See ``Reader.search``."""
    text = fold(where.text)
    driver = driver_connection(connection)
    driver.execute(_LOOK_UP)
    probe = telling(text, lambda first, end: int(driver.execute(_CANDIDATES, (first, end)).fetchone()[0]))
    wanted = _wanted(text, where)
    matches = _MATCHES.format(_ANY if probe is None else _WITH_PART) + wanted.sql
    among = [] if probe is None else [probe, probe + AFTER]
    statement = _PAGE.format(matches, order=_NEWEST if where.newest_first else _ORDER)
    with driver.pipeline():
        if probe is None:  # only the server can tell whether so many hold the text that reading all is less
            driver.execute(_CHOOSE, ("on",))
        cursor = driver.execute(statement, [*among, *wanted.values, limit, offset], prepare=probe is not None)
        driver.execute(_CHOOSE, ("off",))  # what follows in a question looks up
    rows = cursor.fetchall()
    hits = [Hit("job" if row[1] == _JOB else "dataset", Name(row[2], row[3]), row[4]) for row in rows if row[2]]
    return int(rows[0][0]), hits


def _wanted(text: str, where: Search) -> _Condition:
    found = _Condition("", [f"%{_escaped(text)}%"])
    kinds = {KINDS[kind] for kind in where.kinds}
    for sql, value in (
        ("n.kind = %s", kinds.pop() if len(kinds) == 1 else None),
        (f"{_NAMESPACE} = %s", where.namespace),
        (f"{_LAST} >= %s", where.since),
        (f"{_LAST} < %s", where.before),
    ):
        if value is not None:
            found = _Condition(f"{found.sql} AND {sql}", [*found.values, value])
    return found


def _escaped(part: str) -> str:
    return part.replace("!", "!!").replace("%", "!%").replace("_", "!_")
