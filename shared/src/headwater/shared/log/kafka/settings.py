"""How a Kafka cluster is talked to: ``[lineage.kafka]``, the same for producers and collectors."""

from __future__ import annotations

import os
from collections.abc import Mapping
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, NamedTuple

from ...errors import ConfigurationError
from ...names import (
    ENV_KAFKA_CA_FILE,
    ENV_KAFKA_CERT_FILE,
    ENV_KAFKA_KEY_FILE,
    ENV_KAFKA_KEY_PASSWORD,
    ENV_KAFKA_PASSWORD,
    ENV_KAFKA_SASL_MECHANISM,
    ENV_KAFKA_SECURITY_PROTOCOL,
    ENV_KAFKA_USERNAME,
)

if TYPE_CHECKING:
    from ssl import SSLContext

SECTION = "lineage.kafka"
PROTOCOLS = ("PLAINTEXT", "SSL", "SASL_PLAINTEXT", "SASL_SSL")
MECHANISMS = ("PLAIN", "SCRAM-SHA-256", "SCRAM-SHA-512")
COMPRESSIONS = ("auto", "none", "gzip", "lz4", "zstd", "snappy")

VARIABLES: Mapping[str, str] = {
    "security_protocol": ENV_KAFKA_SECURITY_PROTOCOL,
    "sasl_mechanism": ENV_KAFKA_SASL_MECHANISM,
    "username": ENV_KAFKA_USERNAME,
    "password": ENV_KAFKA_PASSWORD,
    "ca_file": ENV_KAFKA_CA_FILE,
    "cert_file": ENV_KAFKA_CERT_FILE,
    "key_file": ENV_KAFKA_KEY_FILE,
    "key_password": ENV_KAFKA_KEY_PASSWORD,
}
"""Keys that the environment may give, and win over the file there."""
_SECRETS = ("password", "key_password")


class KafkaSettings(NamedTuple):
    """Frozen. Durations in seconds. Its repr shows no secret."""

    servers: tuple[str, ...]
    security_protocol: str = "PLAINTEXT"
    sasl_mechanism: str = "PLAIN"
    username: str | None = None
    password: str | None = None
    ca_file: str | None = None
    """PEM; default: the system's certificate authorities."""
    cert_file: str | None = None
    key_file: str | None = None
    key_password: str | None = None
    compression: str = "auto"
    """``auto``: zstd where cramjam is installed, else gzip."""
    create_topics: bool = False
    """Topics that do not exist are made when they are first needed, as the following say."""
    partitions: int = 6
    """Of the main topic and the retry topics. The dead letters have one."""
    replication_factor: int = -1
    """-1: the broker's default."""
    min_insync_replicas: int | None = None
    """Default: 2 where the replication factor is 3 or more, else the broker's."""
    retention_s: float = 7 * 86_400.0
    """Of the main topic and the retry topics. Dead letters are kept until somebody purges the topic."""
    request_timeout_s: float = 15.0
    """How long one request to a broker may take."""
    append_timeout_s: float = 30.0
    """How long an append tries before it says that it failed."""
    session_timeout_s: float = 30.0
    """After how much silence of a member its partitions go to another one."""
    max_poll_interval_s: float = 300.0
    """A member that shows no sign of life in its loop for so long loses its partitions; one that waits for a store or
    for a retry's time shows one."""
    metadata_max_age_s: float = 15.0
    """How soon new partitions and topics are seen."""

    def __repr__(self) -> str:
        shown = {name: "***" if value and name in _SECRETS else value for name, value in self._asdict().items()}
        return f"KafkaSettings({', '.join(f'{name}={value!r}' for name, value in shown.items())})"


def kafka_settings(
    servers: tuple[str, ...], table: Mapping[str, Any] | None = None, environ: Mapping[str, str] | None = None
) -> KafkaSettings:
    """The settings from the table ``[lineage.kafka]``; the environment wins over it. Raises ConfigurationError, which
    shows no secret."""
    environ = os.environ if environ is None else environ
    said = {key: value for key, value in (table or {}).items() if value is not None}
    known = KafkaSettings._fields[1:]
    for key in said:
        if key not in known:
            raise ConfigurationError(
                f"{SECTION}.{key}", "(not shown)", f"unknown key; accepted are: {', '.join(known)}"
            )
    said |= {key: environ[variable].strip() for key, variable in VARIABLES.items() if environ.get(variable, "").strip()}
    for key, value in said.items():
        _check_kind(key, value)
    settings = KafkaSettings(tuple(servers), **said)
    _check(settings)
    return settings


def _check_kind(key: str, value: Any) -> None:
    default = KafkaSettings._field_defaults[key]
    if key == "create_topics":
        good, wanted = isinstance(value, bool), "true or false"
    elif key == "min_insync_replicas" or (isinstance(default, int) and not isinstance(default, bool)):
        good, wanted = (
            isinstance(value, int) and not isinstance(value, bool) and (value > 0 or value == default),
            "1 or more",
        )
    elif isinstance(default, float):
        good, wanted = isinstance(value, int | float) and not isinstance(value, bool) and value > 0, "seconds above 0"
    else:
        good, wanted = isinstance(value, str) and bool(value), "a text"
    if not good:
        raise ConfigurationError(f"{SECTION}.{key}", "(not shown)" if key in _SECRETS else value, f"give {wanted}")


def _check(settings: KafkaSettings) -> None:
    for key, accepted in (
        ("security_protocol", PROTOCOLS),
        ("sasl_mechanism", MECHANISMS),
        ("compression", COMPRESSIONS),
    ):
        value = getattr(settings, key)
        if value not in accepted:
            raise ConfigurationError(f"{SECTION}.{key}", value, f"use one of {', '.join(accepted)}")
    if settings.security_protocol.startswith("SASL"):
        for key in ("username", "password"):
            if not getattr(settings, key):
                remedy = f"is required with {settings.security_protocol}; the environment may give it: {VARIABLES[key]}"
                raise ConfigurationError(f"{SECTION}.{key}", None, remedy)
    elif settings.username or settings.password:
        remedy = "user and password are set, and it sends none; use SASL_SSL"
        raise ConfigurationError(f"{SECTION}.security_protocol", settings.security_protocol, remedy)
    if settings.key_file and not settings.cert_file:
        raise ConfigurationError(f"{SECTION}.key_file", settings.key_file, "needs cert_file beside it")
    if settings.compression in ("lz4", "zstd", "snappy") and find_spec("cramjam") is None:
        raise ConfigurationError(f"{SECTION}.compression", settings.compression, "needs cramjam: pip install cramjam")


def client_options(settings: KafkaSettings) -> dict[str, Any]:
    """What every aiokafka client is given. Raises ConfigurationError for files that cannot be used."""
    options: dict[str, Any] = {
        "bootstrap_servers": list(settings.servers),
        "client_id": "headwater",
        "request_timeout_ms": int(settings.request_timeout_s * 1000),
        "metadata_max_age_ms": int(settings.metadata_max_age_s * 1000),
        "security_protocol": settings.security_protocol,
    }
    if settings.security_protocol.startswith("SASL"):
        options |= {
            "sasl_mechanism": settings.sasl_mechanism,
            "sasl_plain_username": settings.username,
            "sasl_plain_password": settings.password,
        }
    if settings.security_protocol.endswith("SSL"):
        options["ssl_context"] = _ssl_context(settings)
    return options


def compression_type(settings: KafkaSettings) -> str | None:
    """As aiokafka's producer wants it."""
    if settings.compression == "auto":
        return "zstd" if find_spec("cramjam") is not None else "gzip"
    return None if settings.compression == "none" else settings.compression


def _ssl_context(settings: KafkaSettings) -> SSLContext:
    import ssl

    key, path = "ca_file", settings.ca_file
    try:
        context = ssl.create_default_context(cafile=settings.ca_file)
        if settings.cert_file:
            key, path = "cert_file", settings.cert_file
            context.load_cert_chain(settings.cert_file, settings.key_file, settings.key_password or "")
    except (OSError, ssl.SSLError) as error:
        raise ConfigurationError(f"{SECTION}.{key}", path, f"cannot be used: {error}") from None
    return context
