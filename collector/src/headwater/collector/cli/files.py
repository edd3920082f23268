"""Files that commands are given."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Final

from .exits import UsageError

MAX_BYTES: Final = 64 * 1024 * 1024


def read_file(path: Path, max_bytes: int = MAX_BYTES) -> bytes:
    """The content; ``-`` is standard input. Raises UsageError: it cannot be read, or is larger."""
    try:
        if str(path) == "-":
            content = sys.stdin.buffer.read(max_bytes + 1)
        else:
            with path.open("rb") as file:
                content = file.read(max_bytes + 1)
    except OSError as error:
        raise UsageError(f"{path} cannot be read: {error.strerror}") from error
    if len(content) > max_bytes:
        raise UsageError(f"{path} is larger than {max_bytes:,} bytes")
    return content
