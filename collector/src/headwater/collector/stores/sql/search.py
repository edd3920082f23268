"""The indexes that find names by what is in them, and the search, on SQLite. Triggers keep them: a name costs when it
is new and never again.

``search_name`` holds each name folded, in an order to look beginnings up in; ``search_part`` how it goes on from each
of its words, see ``parts``; ``search_gram``, an FTS5 table, the trigrams of its first ``INDEXED_CHARS`` characters. A
text that has few parts is found by them, others by their trigrams. A text of fewer than three characters has none: such
a search reads the folded names in order until it has found enough.
"""

from __future__ import annotations

from typing import Any, Final

import orjson
from sqlalchemy.engine import Connection

from headwater.collector.catalog import RESERVED
from headwater.collector.stores.reading import MAX_MATCHES, Hit, Search
from headwater.collector.stores.sql.parts import AFTER, INDEXED_CHARS, MAX_CANDIDATES, parts, telling
from headwater.collector.stores.sql.query import driver_cursor
from headwater.shared.event import Name

_FOLD: Final = "headwater_fold"
_PARTS: Final = "headwater_parts"
PARTS: Final = "search_part"
"""The table."""
_GRAM: Final = 3
_MAX_GRAMS: Final = 12
"""Of a text, that narrow the candidates; each candidate is then compared whole."""
_KINDS: Final = {"job": 0, "dataset": 1}
"""Of an id the last bit, so that what has a text in it can be told apart without being looked up."""
_DATA: Final = f"substr(new.namespace, 1, {len(RESERVED)}) != '{RESERVED}'"
_AT_ONCE: Final = 500
"""Keys in one statement."""


def _trigger(name: str, event: str, kind: str) -> str:
    return (
        f"CREATE TRIGGER IF NOT EXISTS {name} {event} BEGIN "  # noqa: S608 - constants alone
        f"INSERT INTO search_name (id, kind, key, namespace, name) "
        f"SELECT (coalesce(max(id), 0) / 2 + 1) * 2 + {_KINDS[kind]}, "
        f"{_KINDS[kind]}, new.key, new.namespace, {_FOLD}(new.name) FROM search_name; "
        f"INSERT INTO search_gram (rowid, name) "
        f"VALUES (last_insert_rowid(), substr({_FOLD}(new.name), 1, {INDEXED_CHARS})); END"
    )


_DEFINITIONS: Final = (
    "CREATE TABLE IF NOT EXISTS search_name (id INTEGER PRIMARY KEY, kind INTEGER NOT NULL, key BLOB NOT NULL, "
    "namespace TEXT NOT NULL, name TEXT NOT NULL)",
    "CREATE INDEX IF NOT EXISTS search_name_order ON search_name (name)",
    "CREATE VIRTUAL TABLE IF NOT EXISTS search_gram USING fts5 "
    "(name, content='', columnsize=0, detail=none, tokenize='trigram case_sensitive 1')",
    f"CREATE TABLE IF NOT EXISTS {PARTS} (part TEXT NOT NULL, id INTEGER NOT NULL, PRIMARY KEY (part, id)) "
    "WITHOUT ROWID",
    "CREATE TRIGGER IF NOT EXISTS search_name_parts AFTER INSERT ON search_name BEGIN "  # noqa: S608 - constants alone
    f"INSERT INTO {PARTS} SELECT p.value, new.id FROM json_each({_PARTS}(new.name)) p; END",
    _trigger("search_job", "AFTER INSERT ON job", "job"),
    _trigger("search_dataset", f"AFTER INSERT ON dataset WHEN new.first_time IS NOT NULL AND {_DATA}", "dataset"),
    # Only named at first, listed later:
    _trigger(
        "search_dataset_listed",
        f"AFTER UPDATE OF first_time ON dataset WHEN old.first_time IS NULL AND new.first_time IS NOT NULL AND {_DATA}",
        "dataset",
    ),
)
_COLUMNS: Final = "SELECT s.id, s.kind, s.key, s.name"
_BEGINNING: Final = f"{_COLUMNS} FROM search_name s WHERE s.name >= ? AND s.name < ?"
_HOLDING: Final = f"{_COLUMNS} FROM search_gram g CROSS JOIN search_name s ON s.id = g.rowid WHERE search_gram MATCH ?"
_READING: Final = f"{_COLUMNS} FROM search_name s WHERE instr(s.name, ?) > 0"
_GOING_ON: Final = f"FROM {PARTS} p WHERE p.part >= ? AND p.part < ?"
_CANDIDATES: Final = f"SELECT count(*) FROM (SELECT 1 {_GOING_ON} LIMIT {MAX_CANDIDATES + 1})"  # noqa: S608 - constants
_WITH_PART: Final = f"{_COLUMNS} FROM (SELECT DISTINCT id {_GOING_ON}) g CROSS JOIN search_name s ON s.id = g.id WHERE "


def fold(text: str) -> str:
    """Upper and lower case made one."""
    return text.casefold()


def _parts_as_json(name: str) -> str:
    return orjson.dumps(parts(name)).decode()


FUNCTIONS: Final = {_FOLD: fold, _PARTS: _parts_as_json}
"""SQL functions of one argument that every connection must have."""


def create(connection: Connection) -> None:
    """Makes tables and triggers where they are missing; ``FUNCTIONS`` must be there."""
    for definition in _DEFINITIONS:
        connection.exec_driver_sql(definition)


def search(connection: Connection, where: Search, limit: int, offset: int) -> tuple[int, list[Hit]]:
    text = fold(where.text)
    found = {row[0]: row for row in _matches(connection, text, where)}
    if len(found) == MAX_MATCHES and where.since is None and where.before is None and not where.newest_first:
        ordered = sorted(found.values(), key=lambda row: (row[3], row[1], row[2]))
        return len(found), _hits(connection, ordered[offset : offset + limit])
    hits = [hit for hit in _hits(connection, list(found.values())) if _within(hit, where)]  # some may be deleted
    hits.sort(key=lambda hit: (fold(hit.name.name), hit.name, hit.kind))
    if where.newest_first:
        hits.sort(key=lambda hit: hit.last_time, reverse=True)
    return len(hits), hits[offset : offset + limit]


def _matches(connection: Connection, text: str, where: Search) -> list[Any]:
    """Beginnings first: of more than are looked at they are what is meant."""
    narrowed, values = _conditions(where)
    end = f"{narrowed} LIMIT {MAX_MATCHES}"
    rows = _rows(
        connection, f"{_BEGINNING}{narrowed} ORDER BY s.name LIMIT {MAX_MATCHES}", (text, text + AFTER, *values)
    )
    if len(rows) == MAX_MATCHES:
        return rows
    if probe := telling(text, lambda first, end: int(_rows(connection, _CANDIDATES, (first, end))[0][0])):
        rows += _rows(connection, f"{_WITH_PART}instr(s.name, ?) > 0{end}", (probe, probe + AFTER, text, *values))
    elif grams := _grams(text):
        of_kind = f" AND g.rowid & 1 = {_KINDS[where.kinds[0]]}" if len(where.kinds) == 1 else ""
        rows += _rows(connection, f"{_HOLDING}{of_kind} AND instr(s.name, ?) > 0{end}", (grams, text, *values))
    else:
        rows += _rows(connection, f"{_READING}{end}", (text, *values))
    return list({row[0]: row for row in rows}.values())[:MAX_MATCHES]


def _grams(text: str) -> str | None:
    """An FTS5 expression that every name with this text satisfies, or None for a text too short or too long. It looks
    at the beginning and the end of a long one."""
    grams = list(dict.fromkeys(text[at : at + _GRAM] for at in range(len(text) - _GRAM + 1)))
    if not grams or len(text) > INDEXED_CHARS:
        return None
    chosen = grams if len(grams) <= _MAX_GRAMS else grams[: _MAX_GRAMS // 2] + grams[-_MAX_GRAMS // 2 :]
    return " AND ".join('"' + gram.replace('"', '""') + '"' for gram in chosen)


def _conditions(where: Search) -> tuple[str, tuple[Any, ...]]:
    found: list[str] = []
    values: list[Any] = []
    if len(where.kinds) == 1:
        found.append("s.kind = ?")
        values.append(_KINDS[where.kinds[0]])
    if where.namespace is not None:
        found.append("s.namespace = ?")
        values.append(where.namespace)
    return "".join(f" AND {each}" for each in found), tuple(values)


def _within(hit: Hit, where: Search) -> bool:
    return (where.since or "") <= hit.last_time < (where.before or AFTER)


def _hits(connection: Connection, rows: list[Any]) -> list[Hit]:
    """In the order of the rows."""
    known: dict[tuple[int, bytes], Hit] = {}
    for kind, number in _KINDS.items():
        wanted = [row[2] for row in rows if row[1] == number]
        for start in range(0, len(wanted), _AT_ONCE):
            some = wanted[start : start + _AT_ONCE]
            marks = ", ".join("?" * len(some))
            sql = (
                f"SELECT key, namespace, name, last_time FROM {kind} WHERE key IN ({marks}) "  # noqa: S608 - no values
                "AND (deleted IS NULL OR last_time > deleted)"
            )
            for key, namespace, name, last in _rows(connection, sql, tuple(some)):
                known[number, key] = Hit("job" if number == 0 else "dataset", Name(namespace, name), last)
    return [known[row[1], row[2]] for row in rows if (row[1], row[2]) in known]


def _rows(connection: Connection, sql: str, values: tuple[Any, ...]) -> list[Any]:
    cursor = driver_cursor(connection)
    cursor.execute(sql, values)
    found: list[Any] = cursor.fetchall()
    return found
