"""The slow and exact way to read strict JSON: finds what is wrong, and where.

Places are JSON pointers (RFC 6901) for what is inside a readable value, ``byte N`` for bytes that cannot be read.
"""

from __future__ import annotations

import json
from typing import Any

from .canonical import without_escapes
from .errors import (
    DuplicateKeyError,
    EventTooLargeError,
    ForbiddenCharacterError,
    InvalidEventError,
    NotJsonError,
    NotUtf8Error,
    NumberOutOfRangeError,
    TooDeepError,
)
from .limits import Limits

MIN_INT, MAX_INT = -(2**63), 2**63 - 1


class _Bad:
    """Stands in the parsed value where a hook met what is refused; the walk then finds it, and so its place."""

    def __init__(self, error: type[InvalidEventError], message: str, key: str | None = None) -> None:
        self.error, self.message, self.key = error, message, key


def check_size(raw: bytes, limits: Limits) -> None:
    """Raises EventTooLargeError."""
    if len(raw) > limits.max_event_bytes:
        raise EventTooLargeError(f"{len(raw):,} bytes, at most {limits.max_event_bytes:,} are accepted")


def diagnose(raw: bytes, limits: Limits) -> Any:
    """The value, or the first thing wrong with it: size, then UTF-8, NUL bytes, depth, syntax, then values in order."""
    check_size(raw, limits)
    try:
        text = raw.decode()
    except UnicodeDecodeError as error:
        raise NotUtf8Error(f"not UTF-8: {error.reason}", where=f"byte {error.start}") from None
    if (nul := raw.find(b"\0")) >= 0:
        raise ForbiddenCharacterError("a NUL", where=f"byte {nul}")
    _check_depth(raw, limits.max_depth)
    try:
        value = _decoder.decode(text)
    except json.JSONDecodeError as error:
        where = f"byte {len(text[: error.pos].encode())}"
        raise NotJsonError(f"not JSON: {error.msg}", where=where) from None
    except RecursionError:
        raise TooDeepError("nested deeper than this process can read") from None
    _check_values(value)
    return value


def pointer(where: str, key: str | int) -> str:
    """The JSON pointer of an item; what cannot be printed or stored of a key is escaped."""
    text = str(key).replace("~", "~0").replace("/", "~1").replace("\0", "\\u0000")
    return f"{where}/{text.encode('utf-8', 'backslashreplace').decode()}"


def _check_depth(raw: bytes, max_depth: int) -> None:
    if raw.count(b"{") + raw.count(b"[") <= max_depth:
        return
    depth = position = 0
    for number, piece in enumerate(without_escapes(raw).split(b'"')):
        if number % 2 == 0:
            for offset, byte in enumerate(piece):
                if byte in b"{[":
                    depth += 1
                    if depth > max_depth:
                        where = f"byte {position + offset}"
                        raise TooDeepError(f"nested deeper than {max_depth} levels", where=where)
                elif byte in b"}]":
                    depth -= 1
        position += len(piece) + 1


def _check_values(root: Any) -> None:
    waiting = [("", root)]
    while waiting:
        where, value = waiting.pop()
        if isinstance(value, str):
            _check_text(value, where)
        elif isinstance(value, dict):
            for key in value:
                _check_text(key, pointer(where, key))
            waiting.extend((pointer(where, key), item) for key, item in reversed(value.items()))
        elif isinstance(value, list):
            waiting.extend((f"{where}/{i}", value[i]) for i in range(len(value) - 1, -1, -1))
        elif isinstance(value, _Bad):
            raise value.error(value.message, where=where if value.key is None else pointer(where, value.key))


def _check_text(text: str, where: str) -> None:
    if text.isascii():
        if "\0" in text:
            raise ForbiddenCharacterError("a NUL in a text", where=where)
        return
    if "\0" in text:
        raise ForbiddenCharacterError("a NUL in a text", where=where)
    try:
        text.encode()
    except UnicodeEncodeError:
        raise NotUtf8Error("half of a surrogate pair without its other half", where=where) from None


def _integer(text: str) -> int | _Bad:
    if len(text) > 20 or not MIN_INT <= (value := int(text)) <= MAX_INT:
        return _Bad(NumberOutOfRangeError, f"the integer {_short(text)} does not fit in 64 bits")
    return value


def _float(text: str) -> float | _Bad:
    value = float(text)
    if value in (float("inf"), float("-inf")):
        return _Bad(NumberOutOfRangeError, f"the number {_short(text)} does not fit in a double")
    return value


def _constant(word: str) -> _Bad:
    return _Bad(NotJsonError, f"{word} is not JSON")


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any] | _Bad:
    value = dict(pairs)
    if len(value) == len(pairs):
        return value
    seen: set[str] = set()
    for key, _ in pairs:
        if key in seen:
            return _Bad(DuplicateKeyError, "an object says this key twice", key)
        seen.add(key)
    raise AssertionError("a dict lost a key that no pair repeats")


def _short(text: str) -> str:
    return text if len(text) <= 30 else text[:27] + "..."


_decoder = json.JSONDecoder(object_pairs_hook=_object, parse_int=_integer, parse_float=_float, parse_constant=_constant)
