"""How many names there are of each kind and namespace, counted by triggers as they come and go, see
``headwater.collector.stores.sql.tally``.

A counter is a row for each of ``SHARDS`` groups of connections, so that collectors that find new names at one time do
not wait for each other's transactions.
"""

from __future__ import annotations

from typing import Final

from sqlalchemy import text
from sqlalchemy.engine import Connection

from headwater.collector.stores.sql.tally import TALLY

SHARDS: Final = 64


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
)


def create_tally(connection: Connection) -> None:
    """Makes table, functions and triggers if they are missing; what is counted is there."""
    if connection.execute(text(f"SELECT to_regclass('{TALLY}')")).scalar() is None:
        for definition in _DEFINITIONS:
            connection.exec_driver_sql(definition.replace("%", "%%"))
