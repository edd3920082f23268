"""Cutting a stream of JSON into events."""

from __future__ import annotations

import io
import json
import random

import pytest

from headwater.collector.cli.emitting.splitting import BrokenStreamError, Piece, pieces

MAX = 1 << 20
ODD = '{"a": "} ] { [ \\" \\\\", "b": [1, {"c": []}], "ü": "\\u007d"}'


def cut(text: str | bytes, max_bytes: int = MAX) -> list[Piece]:
    raw = text.encode() if isinstance(text, str) else text
    return list(pieces(io.BytesIO(raw), max_bytes))


def raws(text: str | bytes) -> list[bytes | None]:
    return [piece.raw for piece in cut(text)]


@pytest.mark.parametrize("empty", ["", "\n", " \n\t\r\n", "[]", "[ \n ]", "\ufeff"])
def test_nothing_there(empty: str) -> None:
    assert cut(empty) == []


def test_lines_keep_their_bytes_and_numbers() -> None:
    assert cut(f'\n{{"a":1}}\r\n\n  {ODD}\n{{"b":2}}') == [
        Piece(2, b'{"a":1}'),
        Piece(4, ODD.encode()),
        Piece(5, b'{"b":2}'),
    ]


def test_a_bad_line_costs_itself_only() -> None:
    assert raws('{"a":1\n{"b":2}\nnonsense\n{"c":3}\n') == [b'{"a":1', b'{"b":2}', b"nonsense", b'{"c":3}']


def test_a_document_may_spread_over_lines() -> None:
    found = cut('{\n "a": [\n 1]\n}\n\n{"b":\n2}')
    assert [(piece.line, json.loads(piece.raw or b"")) for piece in found] == [(1, {"a": [1]}), (6, {"b": 2})]


def test_arrays_are_opened_once() -> None:
    found = cut(f'[{ODD},\n  {{"b": 2}}, [3], "four, }}", 5\n,null]\n[6]')
    assert [(piece.line, json.loads(piece.raw or b"")) for piece in found] == [
        (1, json.loads(ODD)),
        (2, {"b": 2}),
        (2, [3]),
        (2, "four, }"),
        (2, 5),
        (3, None),
        (4, 6),
    ]


def test_a_byte_order_mark_is_no_content() -> None:
    assert raws(b'\xef\xbb\xbf{"a":1}') == [b'{"a":1}']


@pytest.mark.parametrize(
    ("text", "line"),
    [('[{"a": 1},\n{"b": ', 2), ("[\n1,\n", 3), ('["\\', 1), ('{\n"a": 1}\n}', 3), ('[{"a":1}\n', 2), ("[1]]", 1)],
)
def test_a_broken_document_says_where(text: str, line: int) -> None:
    with pytest.raises(BrokenStreamError) as caught:
        cut(text)
    assert caught.value.line == line


def test_values_before_the_break_are_given() -> None:
    given = pieces(io.BytesIO(b'[{"a":1}, {"b":2}, {"c'), MAX)
    assert [next(given).raw, next(given).raw] == [b'{"a":1}', b'{"b":2}']
    with pytest.raises(BrokenStreamError):
        next(given)


@pytest.mark.parametrize("shape", ["{long}\n{short}\n", "[{long},\n{short}]", '{{\n"x": {long}}}\n{short}'])
def test_what_is_too_long_is_skipped_and_the_rest_kept(shape: str) -> None:
    long = json.dumps({"a": "x" * 1_000_000})
    found = cut(shape.format(long=long, short='{"b":2}'), max_bytes=1000)
    assert [piece.raw for piece in found] == [None, b'{"b":2}']


def test_every_way_of_arriving_gives_the_same() -> None:
    """The stream hands out chunks of any size, so every boundary falls everywhere."""
    seed = 20260302
    dice = random.Random(seed)
    document = f'[{ODD}, {ODD} , "\\\\\\"", 12345, {{"deep": {"[" * 20}{"]" * 20}}}]'.encode()
    whole = raws(document)
    for _ in range(300):
        stream = Dribble(document, dice)
        assert [piece.raw for piece in pieces(stream, MAX)] == whole, f"seed {seed}"


class Dribble(io.BytesIO):
    """Reads return less than asked for."""

    def __init__(self, data: bytes, dice: random.Random) -> None:
        super().__init__(data)
        self._dice = dice

    def readline(self, size: int | None = -1, /) -> bytes:
        return self.read(1)

    def read(self, size: int | None = -1, /) -> bytes:
        return super().read(self._dice.randint(1, 7))
