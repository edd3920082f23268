"""Appends to the local log that a collector on this machine reads."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING
from urllib.parse import unquote, urlsplit

from headwater.shared.errors import ConfigurationError, TransientError

from .base import DELIVERED, Outcome

if TYPE_CHECKING:
    from headwater.shared.log.segments import SegmentLog

    from .._settings import Settings


class FileTransport:
    """One topic of the local log: ``<path>/<topic>``. Durable before it answers; shared by many processes."""

    def __init__(self, directory: str) -> None:
        self._directory = directory
        self._log: SegmentLog | None = None

    def send(self, batch: Sequence[bytes]) -> Outcome:
        from headwater.shared.log.base import Record
        from headwater.shared.log.segments import SegmentLog

        if self._log is None:
            self._log = SegmentLog(self._directory)
        try:
            self._log.append([Record(event) for event in batch])
        except ConfigurationError as error:  # a directory that may not be used now: somebody may mend it
            raise TransientError(str(error)) from error
        return DELIVERED

    def close(self) -> None:
        log, self._log = self._log, None
        if log is not None:
            log.close()

    def forked(self) -> None:
        """The log itself sees that it is in another process."""


def from_url(url: str, settings: Settings) -> FileTransport:
    parts = urlsplit(url)
    path = unquote(parts.path)
    if parts.netloc not in ("", "localhost") or not os.path.isabs(path):
        raise ConfigurationError("url", url, "use file:///absolute/path, three slashes")
    topic = settings.topic
    if topic in (".", "..") or "/" in topic or "\0" in topic:
        raise ConfigurationError("collector_topic", topic, "use a topic's name without slashes")
    return FileTransport(os.path.join(path, topic))
