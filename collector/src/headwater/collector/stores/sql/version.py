"""The version of the tables: written when they are made, compared whenever they are opened."""

from __future__ import annotations

from sqlalchemy import inspect, select
from sqlalchemy.engine import Connection

from headwater.collector.stores.sql import schema
from headwater.collector.stores.sql.backends.base import Backend
from headwater.shared.errors import ConfigurationError

_NAME = "schema_version"


def stamp_version(connection: Connection, backend: Backend) -> None:
    """For who made the tables, in the same transaction. Raises ConfigurationError if they are of another version."""
    if _found(connection) is None:
        connection.execute(schema.meta.insert().values(name=_NAME, value=str(schema.SCHEMA_VERSION)))
    check_version(connection, backend)


def restamp_version(connection: Connection) -> None:
    """For who made the tables anew, in the same transaction."""
    connection.execute(schema.meta.delete().where(schema.meta.c.name == _NAME))
    connection.execute(schema.meta.insert().values(name=_NAME, value=str(schema.SCHEMA_VERSION)))


def check_version(connection: Connection, backend: Backend) -> None:
    """Raises ConfigurationError if there are no tables, or of another version."""
    found = _found(connection) if inspect(connection).has_table(schema.meta.name) else None
    if found is None:
        raise ConfigurationError(
            "lineage.store.sql.url", backend.location, "holds no headwater tables: collect some events first"
        )
    if found != str(schema.SCHEMA_VERSION):
        raise ConfigurationError(
            "lineage.store.sql.url",
            backend.location,
            f"holds tables of version {found}, this headwater writes version {schema.SCHEMA_VERSION}: {backend.remedy}",
        )


def _found(connection: Connection) -> str | None:
    table = schema.meta
    return connection.execute(select(table.c.value).where(table.c.name == _NAME)).scalar()
