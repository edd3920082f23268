"""Events out of files: plain, gzip or standard input; each checked as the collector would check it."""

from __future__ import annotations

import gzip
import io
import os
import sys
import zlib
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from headwater.collector.projection import project
from headwater.shared import codec
from headwater.shared.errors import InvalidEventError, InvalidFieldError
from headwater.shared.event import LineageEvent
from headwater.shared.limits import DEFAULT_LIMITS, Limits

from ..exits import UsageError
from .splitting import BrokenStreamError, ByteStream, Piece, pieces

_GZIP_MAGIC = b"\x1f\x8b"
_BUFFER_BYTES = 1 << 16
STANDARD_INPUT = "-"


class Place(NamedTuple):
    """Where an event starts, as people say it."""

    file: str
    line: int

    def __str__(self) -> str:
        return f"{self.file}:{self.line}"


class Good(NamedTuple):
    """An event that will be accepted. ``problems`` counts facets that the graph will leave out."""

    place: Place
    raw: bytes
    event: LineageEvent
    problems: int


class Bad(NamedTuple):
    """What is no event, and why. ``reason`` is a stable word."""

    place: Place
    reason: str
    message: str


def check_files(files: list[str]) -> int:
    """The bytes of all files together; 0 if one is a stream. Raises UsageError for a file that cannot be read."""
    total = 0
    for file in files:
        if file == STANDARD_INPUT:
            return 0
        path = Path(file)
        if path.is_dir():
            raise UsageError(f"{file} is a directory", f"name the files in it: headwater emit {file}/*.ndjson")
        if not os.access(path, os.R_OK):
            raise UsageError(f"{file} cannot be read" if path.exists() else f"there is no file {file}")
        total += path.stat().st_size if path.is_file() else 0
    return total


def events(
    file: str,
    *,
    unwrap: str | None = None,
    limits: Limits = DEFAULT_LIMITS,
    moved: Callable[[int], object] = lambda _: None,
) -> Iterator[Good | Bad]:
    """Everything in ``file``, in order. ``moved`` is told how many bytes of the file itself have been read."""
    with _opened(file, moved) as stream:
        try:
            for piece in pieces(stream, limits.max_event_bytes):
                yield _judged(Place(file, piece.line), piece, unwrap, limits)
        except BrokenStreamError as error:
            yield Bad(Place(file, error.line), "not_json", str(error))
        except (gzip.BadGzipFile, EOFError, zlib.error) as error:
            yield Bad(Place(file, 0), "broken_gzip", f"the gzip stream breaks off: {error}")


def _judged(place: Place, piece: Piece, unwrap: str | None, limits: Limits) -> Good | Bad:
    if piece.raw is None:
        return Bad(place, "too_large", f"longer than {limits.max_event_bytes} bytes")
    try:
        raw = piece.raw if unwrap is None else _unwrapped(piece.raw, unwrap, limits)
        event = codec.decode(raw, limits)
    except InvalidEventError as error:
        return Bad(place, error.reason, str(error))
    return Good(place, raw, event, len(project(event).problems))


def _unwrapped(raw: bytes, key: str, limits: Limits) -> bytes:
    outer: Any = codec.loads_strict(raw, limits)
    if not isinstance(outer, dict) or key not in outer:
        raise InvalidFieldError("no such key to unwrap", where=f"/{key}")
    return codec.dumps(outer[key])


class _Counted(io.RawIOBase):
    """A raw stream that tells how far it was read."""

    def __init__(self, stream: io.RawIOBase, moved: Callable[[int], object]) -> None:
        self._stream, self._moved = stream, moved

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any, /) -> int | None:
        count = self._stream.readinto(buffer)
        self._moved(count or 0)
        return count


@contextmanager
def _opened(file: str, moved: Callable[[int], object]) -> Iterator[ByteStream]:
    with ExitStack() as stack:
        where, ours = (sys.stdin.fileno(), False) if file == STANDARD_INPUT else (file, True)
        raw = stack.enter_context(open(where, "rb", buffering=0, closefd=ours))
        stream = io.BufferedReader(_Counted(raw, moved), _BUFFER_BYTES)
        if stream.peek(2)[:2] == _GZIP_MAGIC:
            yield stack.enter_context(gzip.GzipFile(fileobj=stream, mode="rb"))
        else:
            yield stream
