"""From the URL of the configuration to the backend."""

from __future__ import annotations

from sqlalchemy import make_url
from sqlalchemy.engine import URL
from sqlalchemy.exc import ArgumentError

from headwater.collector.redact import redacted
from headwater.collector.stores.sql.backends.base import Backend
from headwater.shared.errors import ConfigurationError

URL_KEY = "lineage.store.sql.url"
_ACCEPTED = "must start with sqlite:/// or postgresql://"


def backend_of(url: str, *, name: str, deadline_s: float) -> Backend:
    """Connects nothing. ``name``: of the store; servers show it. Raises ConfigurationError."""
    try:
        parsed = make_url(url)
    except (ArgumentError, ValueError) as error:
        raise ConfigurationError(URL_KEY, redacted(url), _ACCEPTED) from error
    kind = parsed.get_backend_name()
    if kind == "sqlite":
        from headwater.collector.stores.sql.backends.sqlite import SqliteBackend

        return SqliteBackend(parsed, deadline_s=deadline_s)
    if kind != "postgresql":
        raise ConfigurationError(URL_KEY, _shown(parsed), _ACCEPTED)
    if parsed.drivername not in ("postgresql", "postgresql+psycopg"):
        raise ConfigurationError(URL_KEY, _shown(parsed), "the driver is psycopg: write postgresql://")
    try:
        from headwater.collector.stores.sql.backends.postgres import PostgresBackend
    except ImportError as error:
        remedy = f"PostgreSQL needs pip install 'headwater-collector[postgres]' ({error})"
        raise ConfigurationError(URL_KEY, _shown(parsed), remedy) from error
    return PostgresBackend(parsed, name=name, deadline_s=deadline_s)


def _shown(url: URL) -> str:
    return url.render_as_string(hide_password=True)
