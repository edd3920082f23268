"""Prints events, one JSON a line: for a first look."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING

from headwater.shared.errors import ConfigurationError, TransientError

from .base import DELIVERED, Outcome

if TYPE_CHECKING:
    from .._settings import Settings


class ConsoleTransport:
    """To standard output, or to standard error."""

    def __init__(self, *, to_stderr: bool = False) -> None:
        self._to_stderr = to_stderr

    def send(self, batch: Sequence[bytes]) -> Outcome:
        stream = sys.stderr if self._to_stderr else sys.stdout
        try:
            stream.write("".join(event.decode("utf-8", "replace").replace("\n", " ") + "\n" for event in batch))
            stream.flush()
        except (OSError, ValueError, AttributeError) as error:  # closed, or none (pythonw)
            raise TransientError(f"console: {error}") from error
        return DELIVERED

    def close(self) -> None:
        pass

    def forked(self) -> None:
        pass


def from_url(url: str, settings: Settings) -> ConsoleTransport:
    where = url.partition(":")[2].strip("/")
    if where not in ("", "stdout", "stderr"):
        raise ConfigurationError("url", url, "use console: or console:stderr")
    return ConsoleTransport(to_stderr=where == "stderr")
