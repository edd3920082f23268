"""What a ``kafka://`` URL says."""

from __future__ import annotations

from typing import NamedTuple

from ...errors import ConfigurationError
from ..topics import check_topic

_SCHEME = "kafka://"
_PORT = 9092
_ACCEPTED = "use kafka://host:9092, several with commas between, and /topic behind them if it is not the default"


class KafkaAddress(NamedTuple):
    """Where a cluster is found."""

    servers: tuple[str, ...]
    """``host:port`` of the brokers to ask first."""
    topic: str | None
    """None where the URL names none."""


def parse_address(url: str) -> KafkaAddress:
    """``kafka://host:9092,host2:9092/topic``; port and topic may be left out. Raises ConfigurationError."""
    hosts, _, topic = url.removeprefix(_SCHEME).partition("/")
    if "@" in hosts:  # never shown: it may hold a password
        raise ConfigurationError("url", _SCHEME + "…@…", "user and password go into [lineage.kafka] or the environment")
    if not url.startswith(_SCHEME) or not hosts or "?" in url or "#" in url:
        raise ConfigurationError("url", url, _ACCEPTED)
    servers = tuple(_server(one.strip(), url) for one in hosts.split(","))
    return KafkaAddress(servers, check_topic(topic.rstrip("/")) if topic.rstrip("/") else None)


def _server(text: str, url: str) -> str:
    host, colon, port = text.rpartition(":")
    if not colon or text.endswith("]"):  # a bare host, or an IPv6 address in brackets
        host, port = text, str(_PORT)
    bare = host[1:-1] if host.startswith("[") and host.endswith("]") else host
    if not bare or ("[" in bare or " " in bare) or (":" in host and bare == host):
        raise ConfigurationError("url", url, _ACCEPTED)
    if not (port.isascii() and port.isdigit() and 0 < int(port) < 65536):
        raise ConfigurationError("url", url, f"{port!r} is no port; {_ACCEPTED}")
    return f"{host}:{port}"
