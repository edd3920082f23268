"""The client: made from settings."""

from __future__ import annotations

from typing import Any
from urllib.parse import urlsplit

from bson.codec_options import CodecOptions
from pymongo import AsyncMongoClient
from pymongo.asynchronous.collection import AsyncCollection
from pymongo.errors import ConfigurationError as DriverConfigurationError
from pymongo.errors import InvalidURI

from headwater.collector.redact import redacted
from headwater.collector.settings import ConnectionSettings
from headwater.shared.errors import ConfigurationError

KEY = "lineage.store.document.document_connection_name"
DEFAULT_DATABASE = "headwater"
_DEFAULTS: dict[str, Any] = {
    "appname": "headwater",
    "connectTimeoutMS": 5_000,
    "serverSelectionTimeoutMS": 5_000,
    "retryWrites": False,  # the pipeline tries again, and every write here is idempotent
    "w": "majority",
    "journal": True,
}
Document = dict[str, Any]
Collection = AsyncCollection[Document]


def connection_of(value: ConnectionSettings | str | None) -> ConnectionSettings:
    """Settings, or a bare URI. Raises ConfigurationError."""
    if value is None:
        raise ConfigurationError(KEY, None, "name a table [connections.<name>] with uri = 'mongodb://host:27017'")
    return ConnectionSettings(uri=value) if isinstance(value, str) else value


def client_of(connection: ConnectionSettings, deadline_s: float) -> AsyncMongoClient[Document]:
    """Connects when first used. What the URI says wins over our defaults. Raises ConfigurationError."""
    said = urlsplit(connection.uri).query.lower()
    options = {key: value for key, value in _DEFAULTS.items() if f"{key.lower()}=" not in said}
    options["timeoutMS"] = int(deadline_s * 1000)
    if connection.user is not None:
        options |= {"username": connection.user, "password": connection.secret()}
    options |= connection.model_extra or {}
    try:
        return AsyncMongoClient(connection.uri, **options)
    except (DriverConfigurationError, InvalidURI, ValueError, TypeError) as error:
        raise ConfigurationError(KEY, redacted(connection.uri), str(error)) from error


def collections_of(
    client: AsyncMongoClient[Document], connection: ConnectionSettings, name: str
) -> tuple[Collection, Collection]:
    """(events, parts of the large ones)."""
    return collection_of(client, connection, name), collection_of(client, connection, f"{name}_parts")


def collection_of(client: AsyncMongoClient[Document], connection: ConnectionSettings, name: str) -> Collection:
    """One collection of the store's database."""
    database = client[connection.database] if connection.database else client.get_default_database(DEFAULT_DATABASE)
    options: CodecOptions[Document] = CodecOptions(tz_aware=True)
    return database.get_collection(name, options)
