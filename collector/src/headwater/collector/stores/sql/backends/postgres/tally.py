"""How many names there are of each kind and namespace, counted by triggers as they come and go, see
``headwater.collector.stores.sql.tally``; and how many documents, which whoever inserts them adds.

A counter is a row for each of ``SHARDS`` groups of connections, so that collectors that find new names at one time do
not wait for each other's transactions. Documents come with every batch, so their groups are smaller.
"""

from __future__ import annotations

from typing import Any, Final

from sqlalchemy import text
from sqlalchemy.engine import Connection

from headwater.collector.stores.sql.tally import TALLY

SHARDS: Final = 64
DOCUMENT_SHARDS: Final = 4_096
_DOCUMENT: Final = "document"


def _function(name: str, counted: str) -> str:
    """The argument of its triggers is the kind. Nothing is taken off where nothing is counted: whoever empties all
    tables does so in any order."""
    return (
        f"CREATE OR REPLACE FUNCTION {name}() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN "  # noqa: S608 - constants
        f"INSERT INTO {TALLY} (kind, namespace, shard, names) "
        f"SELECT TG_ARGV[0], counted.namespace, pg_backend_pid() % {SHARDS}, counted.names FROM ({counted}) AS counted "
        f"WHERE counted.names > 0 OR EXISTS (SELECT FROM {TALLY} AS known "
        "WHERE known.kind = TG_ARGV[0] AND known.namespace = counted.namespace) "
        f"ORDER BY 2 ON CONFLICT (kind, namespace, shard) DO UPDATE SET names = {TALLY}.names + excluded.names; "
        "RETURN NULL; END $$"
    )


_NAMESPACE: Final = "sha256(convert_to({}namespace, 'UTF8')) AS namespace"
"""A namespace may be longer than an index takes."""
_CAME: Final = f"SELECT {_NAMESPACE.format('')}, count(*) AS names FROM came WHERE first_time IS NOT NULL GROUP BY 1"  # noqa: S608
_WENT: Final = f"SELECT {_NAMESPACE.format('')}, -count(*) AS names FROM went WHERE first_time IS NOT NULL GROUP BY 1"  # noqa: S608
_SEEN: Final = f"SELECT {_NAMESPACE.format('NEW.')}, CASE WHEN NEW.first_time IS NULL THEN -1 ELSE 1 END AS names"


def _triggers(table: str) -> tuple[str, ...]:
    begin = "CREATE TRIGGER headwater_tally"
    run = f"EXECUTE FUNCTION headwater_tally_{{}}('{table}')"
    return (
        f"{begin}_came AFTER INSERT ON {table} REFERENCING NEW TABLE AS came FOR EACH STATEMENT {run.format('came')}",
        f"{begin}_went AFTER DELETE ON {table} REFERENCING OLD TABLE AS went FOR EACH STATEMENT {run.format('went')}",
        f"{begin}_seen AFTER UPDATE ON {table} FOR EACH ROW "
        f"WHEN ((OLD.first_time IS NULL) <> (NEW.first_time IS NULL)) {run.format('seen')}",
    )


_DOCUMENTS_WENT: Final = (
    "CREATE OR REPLACE FUNCTION headwater_tally_documents_went() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN "  # noqa: S608
    f"INSERT INTO {TALLY} (kind, namespace, shard, names) "
    f"SELECT '{_DOCUMENT}', '', pg_backend_pid() % {DOCUMENT_SHARDS}, -count(*) FROM went "
    f"HAVING count(*) > 0 AND EXISTS (SELECT FROM {TALLY} WHERE kind = '{_DOCUMENT}') "
    f"ON CONFLICT (kind, namespace, shard) DO UPDATE SET names = {TALLY}.names + excluded.names; "
    "RETURN NULL; END $$",
    "DROP TRIGGER IF EXISTS headwater_tally_went ON document",  # a rebuild keeps documents, and their triggers
    "CREATE TRIGGER headwater_tally_went AFTER DELETE ON document REFERENCING OLD TABLE AS went "
    "FOR EACH STATEMENT EXECUTE FUNCTION headwater_tally_documents_went()",
    f"INSERT INTO {TALLY} SELECT '{_DOCUMENT}', '', 0, count(*) FROM document",  # noqa: S608
)
_ADD_DOCUMENTS: Final = (
    f"INSERT INTO {TALLY} (kind, namespace, shard, names) "  # noqa: S608 - constants alone
    f"VALUES ('{_DOCUMENT}', '', pg_backend_pid() %% {DOCUMENT_SHARDS}, %s) "
    f"ON CONFLICT (kind, namespace, shard) DO UPDATE SET names = {TALLY}.names + excluded.names"
)


def _first(table: str) -> str:
    return (
        f"INSERT INTO {TALLY} SELECT '{table}', sha256(convert_to(namespace, 'UTF8')), 0, count(first_time) "  # noqa: S608
        f"FROM {table} GROUP BY 2"
    )


_DEFINITIONS: Final = (
    f"CREATE TABLE {TALLY} (kind text NOT NULL, namespace bytea NOT NULL, shard smallint NOT NULL, "
    "names bigint NOT NULL, PRIMARY KEY (kind, namespace, shard)) WITH (fillfactor = 70)",
    _function("headwater_tally_came", _CAME),
    _function("headwater_tally_went", _WENT),
    _function("headwater_tally_seen", _SEEN),
    *_triggers("job"),  # from here on nobody writes names until this transaction ends
    *_triggers("dataset"),
    _first("job"),
    _first("dataset"),
    *_DOCUMENTS_WENT,
)


def create_tally(connection: Connection) -> None:
    """Makes table, functions and triggers if they are missing; what is counted is there."""
    if connection.execute(text(f"SELECT to_regclass('{TALLY}')")).scalar() is None:
        for definition in _DEFINITIONS:
            connection.exec_driver_sql(definition.replace("%", "%%"))


def add_documents(cursor: Any, count: int) -> None:
    """For who inserted them, in the same transaction, last: another connection may have to wait for its end."""
    if count:
        cursor.execute(_ADD_DOCUMENTS, (count,))
