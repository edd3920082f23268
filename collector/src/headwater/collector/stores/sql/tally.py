"""How many names there are of each kind and namespace: counted by triggers as they come and go, since a page of a list
says the total, and to count a hundred thousand of them takes longer than the page. For PostgreSQL's see there.
"""

from __future__ import annotations

from hashlib import sha256
from typing import Any, Final

from sqlalchemy import Table, bindparam, column, func, inspect, literal_column, select, table
from sqlalchemy.engine import Connection, Dialect

from headwater.collector.stores.sql.query import Query

TALLY: Final = "name_tally"
"""The table."""


def _adding(name: str, event: str, kind: str) -> str:
    return (
        f"CREATE TRIGGER IF NOT EXISTS {name} {event} BEGIN "  # noqa: S608 - constants alone
        f"INSERT INTO {TALLY} (kind, namespace, names) VALUES ('{kind}', new.namespace, 1) "
        f"ON CONFLICT (kind, namespace) DO UPDATE SET names = names + 1; END"
    )


def _taking_off(name: str, event: str, kind: str) -> str:
    return (
        f"CREATE TRIGGER IF NOT EXISTS {name} {event} BEGIN "  # noqa: S608 - constants alone
        f"UPDATE {TALLY} SET names = names - 1 WHERE kind = '{kind}' AND namespace = old.namespace; END"
    )


_SEEN: Final = "AFTER UPDATE OF first_time ON dataset WHEN old.first_time IS NULL AND new.first_time IS NOT NULL"
_UNSEEN: Final = "AFTER UPDATE OF first_time ON dataset WHEN old.first_time IS NOT NULL AND new.first_time IS NULL"
_TABLE: Final = (
    f"CREATE TABLE {TALLY} (kind TEXT NOT NULL, namespace TEXT NOT NULL, names INTEGER NOT NULL, "
    "PRIMARY KEY (kind, namespace)) WITHOUT ROWID",
    f"INSERT INTO {TALLY} SELECT 'job', namespace, count(*) FROM job GROUP BY namespace",  # noqa: S608 - constants alone
    f"INSERT INTO {TALLY} SELECT 'dataset', namespace, count(first_time) FROM dataset GROUP BY namespace",  # noqa: S608
)
_TRIGGERS: Final = (
    _adding("tally_job", "AFTER INSERT ON job", "job"),
    _taking_off("tally_job_gone", "AFTER DELETE ON job", "job"),
    _adding("tally_dataset", "AFTER INSERT ON dataset WHEN new.first_time IS NOT NULL", "dataset"),
    _adding("tally_dataset_seen", _SEEN, "dataset"),
    _taking_off("tally_dataset_unseen", _UNSEEN, "dataset"),
    _taking_off("tally_dataset_gone", "AFTER DELETE ON dataset WHEN old.first_time IS NOT NULL", "dataset"),
)


def create(connection: Connection) -> None:
    """Makes table and triggers where they are missing; what is counted is there."""
    missing = () if inspect(connection).has_table(TALLY) else _TABLE
    for definition in (*missing, *_TRIGGERS):
        connection.exec_driver_sql(definition)


_COUNTED: Any = (
    select(func.coalesce(func.sum(column("names")), literal_column("0")))
    .select_from(table(TALLY))
    .where(column("kind") == bindparam("kind"))
)
_NAMES: Final = Query(_COUNTED)
_NAMES_OF_NAMESPACE: Final = Query(_COUNTED.where(column("namespace") == bindparam("namespace")))


def names_in(dialect: Dialect, kind: Table, namespace: str | None) -> tuple[Query, dict[str, Any]]:
    """A query and its values, whose one row is how many there are: jobs, or datasets that were seen, of a namespace or
    of all, hidden ones too; on PostgreSQL also documents."""
    if namespace is None:
        return _NAMES, {"kind": kind.name}
    place = sha256(namespace.encode()).digest() if dialect.name == "postgresql" else namespace
    return _NAMES_OF_NAMESPACE, {"kind": kind.name, "namespace": place}
