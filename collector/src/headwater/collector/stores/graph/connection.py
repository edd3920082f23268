"""The driver: made from settings, its errors told as ours."""

from __future__ import annotations

from typing import Any

from neo4j import AsyncDriver, AsyncGraphDatabase, Driver, GraphDatabase
from neo4j.exceptions import AuthError, DriverError, Neo4jError, ServiceUnavailable, SessionExpired
from neo4j.exceptions import ConfigurationError as DriverConfigurationError

from headwater.collector.redact import redacted
from headwater.collector.settings import ConnectionSettings
from headwater.shared.errors import ConfigurationError, PermanentError, TransientError

KEY = "lineage.store.graph.graph_connection_name"
_DEFAULTS: dict[str, Any] = {
    "connection_timeout": 5.0,
    "connection_acquisition_timeout": 10.0,
    "keep_alive": True,
    "telemetry_disabled": True,
    "notifications_min_severity": "OFF",
    "max_transaction_retry_time": 5.0,
}
_SCHEMES = tuple(f"{scheme}{security}://" for scheme in ("bolt", "neo4j") for security in ("", "+s", "+ssc"))
_NEVER = ("Neo.ClientError.Statement.", "Neo.ClientError.Schema.")
"""A statement or a value that the server will refuse again."""
_GONE = "Neo.ClientError.Statement.EntityNotFound"
"""Somebody else deleted it meanwhile: the transaction succeeds when tried again."""
_MADE_BY_OTHERS = "Neo.ClientError.Schema.EquivalentSchemaRuleAlreadyExists"
"""In spite of IF NOT EXISTS, where two collectors make the same index at the same moment."""


def connection_of(value: ConnectionSettings | str | None) -> ConnectionSettings:
    """Settings, or a bare URI. Raises ConfigurationError."""
    if value is None:
        raise ConfigurationError(KEY, None, "name a table [connections.<name>] with uri = 'bolt://host:7687'")
    return ConnectionSettings(uri=value) if isinstance(value, str) else value


def async_driver(connection: ConnectionSettings) -> AsyncDriver:
    """Not connected yet. Raises ConfigurationError."""
    return _made(AsyncGraphDatabase.driver, connection)  # type: ignore[no-any-return]


def sync_driver(connection: ConnectionSettings) -> Driver:
    """Likewise; for what is iterated in a thread."""
    return _made(GraphDatabase.driver, connection)  # type: ignore[no-any-return]


def _made(factory: Any, connection: ConnectionSettings) -> Any:
    if not connection.uri.startswith(_SCHEMES):
        raise ConfigurationError(KEY, redacted(connection.uri), "must start with bolt:// or neo4j:// (or +s, +ssc)")
    options = _DEFAULTS | (connection.model_extra or {})
    if connection.user is not None:
        options["auth"] = (connection.user, connection.secret() or "")
    try:
        return factory(connection.uri, **options)
    except (DriverConfigurationError, ValueError, TypeError) as error:
        raise ConfigurationError(KEY, redacted(connection.uri), str(error)) from error


def classified(error: Exception, store: str) -> TransientError | PermanentError:
    """What the server refuses for what it is, is permanent; all else (down, full, deadlock, rights) may work later."""
    code = getattr(error, "code", None) or ""
    refused = isinstance(error, Neo4jError) and code.startswith(_NEVER) and code != _GONE
    kind = PermanentError if refused and not isinstance(error, AuthError) else TransientError
    return kind(f"store {store}: {code or type(error).__name__}: {getattr(error, 'message', None) or error}")


def worth_another_try(error: Exception) -> bool:
    """A deadlock, a lost leader, a connection that the server closed meanwhile: at once, with a little patience."""
    if isinstance(error, Neo4jError):
        return error.is_retryable() or error.code in (_GONE, _MADE_BY_OTHERS)
    return isinstance(error, DriverError) and error.is_retryable()


def is_down(error: Exception) -> bool:
    """No server answers at all, or the connection broke."""
    return isinstance(error, (ServiceUnavailable, SessionExpired, OSError))
