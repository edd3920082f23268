"""Columns of values as PostgreSQL's binary arrays, made in few steps of C.

The driver would adapt each element by itself, which for the hundred values of an event costs more than the server's
work for them.
"""

from __future__ import annotations

from collections.abc import Sequence
from struct import Struct
from typing import Any, ClassVar

_HEADER = Struct("!iiiii")
_LENGTH = Struct("!i")
_NULL = _LENGTH.pack(-1)
_LENGTHS = [_LENGTH.pack(length) for length in range(1024)]


class PackedArray:
    """One parameter: a whole column."""

    __slots__ = ("data",)
    oid: ClassVar[int]
    element_oid: ClassVar[int]

    def __init__(self, values: Sequence[Any]) -> None:
        self.data = _packed(self.element_oid, self.encoded(values))

    @staticmethod
    def encoded(values: Sequence[Any]) -> Sequence[bytes | None]:
        """Each element as the server's binary format has it."""
        raise NotImplementedError


class ByteaArray(PackedArray):
    __slots__ = ()
    oid, element_oid = 1001, 17

    @staticmethod
    def encoded(values: Sequence[Any]) -> Sequence[bytes | None]:
        return values


class TextArray(PackedArray):
    __slots__ = ()
    oid, element_oid = 1009, 25

    @staticmethod
    def encoded(values: Sequence[Any]) -> Sequence[bytes | None]:
        return [None if value is None else value.encode() for value in values]


class SmallArray(PackedArray):
    __slots__ = ()
    oid, element_oid = 1005, 21

    @staticmethod
    def encoded(values: Sequence[Any]) -> Sequence[bytes | None]:
        return [None if value is None else value.to_bytes(2, "big", signed=True) for value in values]


class LongArray(PackedArray):
    __slots__ = ()
    oid, element_oid = 1016, 20

    @staticmethod
    def encoded(values: Sequence[Any]) -> Sequence[bytes | None]:
        return [None if value is None else value.to_bytes(8, "big", signed=True) for value in values]


class BooleanArray(PackedArray):
    __slots__ = ()
    oid, element_oid = 1000, 16

    @staticmethod
    def encoded(values: Sequence[Any]) -> Sequence[bytes | None]:
        return [None if value is None else b"\1" if value else b"\0" for value in values]


ARRAYS = (ByteaArray, TextArray, SmallArray, LongArray, BooleanArray)


def _packed(element: int, items: Sequence[bytes | None]) -> bytes:
    header = _HEADER.pack(1, 1, element, len(items), 1) if items else _HEADER.pack(0, 0, element, 0, 1)[:12]
    try:
        lengths = set(map(len, items))  # type: ignore[arg-type]
    except TypeError:  # a null among them
        lengths = set()
    if len(lengths) == 1:  # keys, times: no loop in Python
        length = _LENGTH.pack(lengths.pop())
        return b"".join((header, length, length.join(items)))  # type: ignore[arg-type]
    parts = [header]
    for item in items:
        if item is None:
            parts.append(_NULL)
        else:
            size = len(item)
            parts.append(_LENGTHS[size] if size < 1024 else _LENGTH.pack(size))
            parts.append(item)
    return b"".join(parts)
