"""Cuts a stream of JSON into events without holding more than one of them.

Two ways to read, chosen by the beginning of the stream:

- lines (NDJSON): each line stands alone, so a bad line costs itself only;
- a document: values one after the other, spread over lines as they like; arrays at the top are opened, so that each of
  their elements is one event. After a syntax error nothing more of such a stream can be trusted.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple, Protocol

_BOM = b"\xef\xbb\xbf"
_CHUNK_BYTES = 1 << 18
_SPACE = b" \t\r\n"
_STRUCTURE = re.compile(rb'[{}\[\]]|"[^"\\]*+(?:\\.[^"\\]*+)*+(")?', re.DOTALL)
"""A bracket, or a string; group 1 is missing where the string goes on beyond what has been read."""
_IN_STRING = re.compile(rb'["\\]')
_SCALAR_END = re.compile(rb"[\s,\]\[{}]")
_DOCUMENT_START = re.compile(rb"\s*\[|.*[{\[,:]\s*$", re.DOTALL)


class ByteStream(Protocol):
    """What is read from: a file, a pipe, a decompressor."""

    def read(self, size: int = ..., /) -> bytes: ...

    def readline(self, size: int = ..., /) -> bytes: ...


class Piece(NamedTuple):
    """The bytes of one value and the line, counted from 1, on which it starts. ``raw`` is None where the value was
    longer than the limit: it was skipped."""

    line: int
    raw: bytes | None


class BrokenStreamError(Exception):
    """The document ends or breaks here. ``line`` is where."""

    def __init__(self, line: int, message: str) -> None:
        super().__init__(message)
        self.line = line


def pieces(stream: ByteStream, max_bytes: int) -> Iterator[Piece]:
    """The values in ``stream``, in order. Raises BrokenStreamError where a document cannot be followed any further."""
    line, first = _first_line(stream, max_bytes)
    if not first:
        return
    if _DOCUMENT_START.match(first):
        yield from _Document(stream, first, line, max_bytes).values()
    else:
        yield from _lines(stream, first, line, max_bytes)


def _first_line(stream: ByteStream, max_bytes: int) -> tuple[int, bytes]:
    number, line = 1, stream.readline(max_bytes + 1).removeprefix(_BOM)
    while line and not line.strip():
        number += line.endswith(b"\n")
        line = stream.readline(max_bytes + 1)
    return number, line


def _lines(stream: ByteStream, line: bytes, number: int, max_bytes: int) -> Iterator[Piece]:
    while line:
        whole = len(line) <= max_bytes
        if not whole:
            while line and not line.endswith(b"\n"):
                line = stream.readline(_CHUNK_BYTES)
        stripped = line.strip(_SPACE)
        if stripped or not whole:
            yield Piece(number, stripped if whole else None)
        number += 1
        line = stream.readline(max_bytes + 1)


class _Document:
    """One pass over a document. ``_buffer[_at:]`` is what is still to be looked at."""

    def __init__(self, stream: ByteStream, first: bytes, line: int, max_bytes: int) -> None:
        self._stream, self._buffer, self._at = stream, first, 0
        self._line, self._max_bytes = line, max_bytes

    def values(self) -> Iterator[Piece]:
        inside_array = False
        while self._skip_space(b"," if inside_array else b""):
            mark = self._buffer[self._at : self._at + 1]
            if mark == b"[" and not inside_array:
                inside_array = True
                self._at += 1
            elif mark == b"]" and inside_array:
                inside_array = False
                self._at += 1
            elif mark in (b"]", b"}"):
                raise BrokenStreamError(self._line, f"a {mark.decode()} that closes nothing")
            else:
                yield self._value(mark)
        if inside_array:
            raise BrokenStreamError(self._line, "the array is not closed: the file is cut off")

    def _skip_space(self, more: bytes) -> bool:
        """Moves to the next byte that says something; False at the end."""
        while True:
            rest = self._buffer[self._at :]
            stripped = rest.lstrip(_SPACE + more)
            self._line += rest.count(b"\n", 0, len(rest) - len(stripped))
            self._buffer, self._at = stripped, 0
            if stripped:
                return True
            if not self._read():
                return False

    def _read(self) -> bool:
        chunk = self._stream.read(_CHUNK_BYTES)
        self._buffer += chunk
        return bool(chunk)

    def _value(self, mark: bytes) -> Piece:
        line = self._line
        parts: list[bytes] = []
        size = 0
        for part in self._composite() if mark in b'{["' else self._scalar():
            self._line += part.count(b"\n")
            size += len(part)
            if size <= self._max_bytes:
                parts.append(part)
            else:
                parts.clear()
        return Piece(line, b"".join(parts) if size <= self._max_bytes else None)

    def _scalar(self) -> Iterator[bytes]:
        while True:
            end = _SCALAR_END.search(self._buffer, self._at)
            if end:
                yield self._take(end.start())
                return
            yield self._take(len(self._buffer))
            if not self._read():
                return

    def _composite(self) -> Iterator[bytes]:
        """The parts of one object, array or string, as they come in."""
        depth, in_string, look = 0, False, self._at
        while True:
            found = (_IN_STRING if in_string else _STRUCTURE).search(self._buffer, look)
            if found is None:
                yield self._take(len(self._buffer))
                look = 0
                if not self._read():
                    raise BrokenStreamError(self._line, "the value is not closed: the file is cut off")
                continue
            mark = found.group()
            look = found.end()
            if in_string:
                if mark == b"\\":
                    look += 1
                    if look > len(self._buffer):
                        yield self._take(look - 1)
                        if not self._read():
                            raise BrokenStreamError(self._line, "the string is not closed: the file is cut off")
                        look = 1
                    continue
                in_string = False
            elif mark[:1] == b'"':
                if found.group(1) is None:
                    in_string, look = True, found.start() + 1
                    continue
            else:
                depth += 1 if mark in b"{[" else -1
            if depth == 0:
                yield self._take(look)
                return

    def _take(self, end: int) -> bytes:
        part = self._buffer[self._at : end]
        self._buffer, self._at = self._buffer[end:], 0
        return part
