"""The log that a URL names."""

from __future__ import annotations

from pathlib import Path
from urllib.parse import unquote, urlsplit

from headwater.collector.redact import redacted
from headwater.collector.settings import LogSettings
from headwater.shared.clock import Clock, SystemClock
from headwater.shared.errors import ConfigurationError
from headwater.shared.log import Log


def open_local_log(directory: Path, bounds: LogSettings, clock: Clock | None = None) -> Log:
    """The local log in that directory, not opened yet."""
    from headwater.shared.log.local import LocalLog

    return LocalLog(
        directory,
        max_bytes=bounds.max_bytes,
        segment_bytes=bounds.segment_bytes,
        retention_s=bounds.retention_s,
        clock=clock if clock is not None else SystemClock(),
    )


def log_of_url(url: str, bounds: LogSettings, clock: Clock | None = None) -> Log:
    """``file:///path`` for a local log, ``memory:`` for one that ends with the process. Raises ConfigurationError."""
    parts = urlsplit(url)
    if parts.scheme == "file" and parts.netloc in ("", "localhost") and parts.path:
        return open_local_log(Path(unquote(parts.path)), bounds, clock)
    if parts.scheme == "memory":
        from headwater.shared.log.memory import MemoryLog

        return MemoryLog()
    raise ConfigurationError("lineage.url", redacted(url), "a collector reads file:///path/to/log or memory:")
