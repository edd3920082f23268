"""The log that a URL names."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import unquote, urlsplit

from headwater.collector.redact import redacted
from headwater.collector.settings import LineageSettings, LogSettings
from headwater.shared.clock import Clock, SystemClock
from headwater.shared.errors import ConfigurationError
from headwater.shared.log import Log

if TYPE_CHECKING:
    from headwater.collector.log_metrics import LogMetrics


class NamedLog(NamedTuple):
    """A log, not opened yet, and the topic in it."""

    log: Log
    topic: str


def open_local_log(
    directory: Path, bounds: LogSettings, clock: Clock | None = None, metrics: LogMetrics | None = None
) -> Log:
    """The local log in that directory, not opened yet. ``metrics`` measures it."""
    from headwater.shared.log.local import LocalLog
    from headwater.shared.log.reading import ignore_damage

    log = LocalLog(
        directory,
        max_bytes=bounds.max_bytes,
        segment_bytes=bounds.segment_bytes,
        retention_s=bounds.retention_s,
        clock=clock if clock is not None else SystemClock(),
        on_damage=metrics.damaged if metrics is not None else ignore_damage,
    )
    if metrics is not None:
        metrics.watch(log)
    return log


def path_of_url(url: str) -> Path | None:
    """The directory that ``file:///path`` names on this machine; None for any other URL."""
    parts = urlsplit(url)
    if parts.scheme == "file" and parts.netloc in ("", "localhost") and parts.path:
        return Path(unquote(parts.path))
    return None


def log_of_url(
    url: str, lineage: LineageSettings, clock: Clock | None = None, metrics: LogMetrics | None = None
) -> NamedLog:
    """``kafka://host:9092/topic``, ``file:///path`` for a local log, ``memory:`` for one that ends with the process.
    Where the URL names no topic it is ``collector_topic``. Raises ConfigurationError."""
    scheme = urlsplit(url).scheme
    if scheme == "kafka":
        return _kafka_log(url, lineage)
    if (path := path_of_url(url)) is not None:
        return NamedLog(open_local_log(path, lineage.log, clock, metrics), lineage.collector_topic)
    if scheme == "memory":
        from headwater.shared.log.memory import MemoryLog

        return NamedLog(MemoryLog(), lineage.collector_topic)
    accepted = "a collector reads kafka://host:9092/topic, file:///path/to/log or memory:"
    raise ConfigurationError("lineage.url", redacted(url), accepted)


def configured_log(
    lineage: LineageSettings,
    url: str | None = None,
    clock: Clock | None = None,
    metrics: LogMetrics | None = None,
) -> NamedLog:
    """The log of ``url``, else of ``lineage.url``. Raises ConfigurationError, also where neither is given."""
    named = url or lineage.url
    if not named:
        raise ConfigurationError("lineage.url", None, "name the log: kafka://host:9092/topic or file:///path/to/log")
    return log_of_url(named, lineage, clock, metrics)


def _kafka_log(url: str, lineage: LineageSettings) -> NamedLog:
    from headwater.shared.log.kafka import KafkaLog, parse_address

    address = parse_address(url)
    return NamedLog(KafkaLog(lineage.kafka.of(address.servers)), address.topic or lineage.collector_topic)
