"""What the application hands over becomes the same bytes with orjson and with the standard library."""

from __future__ import annotations

import datetime as dt
import decimal
import enum
import json
import math
import uuid
from collections import OrderedDict
from dataclasses import dataclass
from pathlib import PurePosixPath
from types import MappingProxyType
from typing import Any, NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st

from headwater.producer import _encode
from headwater.producer._plain import UnserialisableError
from headwater.producer.testing import capture_lineage


class Color(enum.Enum):
    RED = "red"


class Level(enum.IntEnum):
    LOW = 1


@dataclass
class Point:
    x: int
    y: Any


class Pair(NamedTuple):
    a: int
    b: int


@pytest.fixture(params=["orjson", "stdlib"])
def engine(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    if request.param == "orjson":
        pytest.importorskip("orjson")
    monkeypatch.setenv("HEADWATER_JSON", request.param)
    _encode.check_engine()
    return str(request.param)


WORLD = {
    "nan": [math.nan, math.inf, -math.inf, 1.5],
    "surrogate": "a\ud800b",
    "pair": "\ud83d\ude00",
    "k\udfffey": 1,
    "emoji": "😀 ü",
    "when": dt.datetime(2026, 11, 29, 1, 2, 3, 4, tzinfo=dt.UTC),
    "date": dt.date(2026, 11, 29),
    "uuid": uuid.UUID(int=7),
    "enum": [Color.RED, Level.LOW],
    "dataclass": Point(1, Point(2, Color.RED)),
    "tuple": (1, Pair(2, 3)),
    "mapping": MappingProxyType({"a": OrderedDict(b=1)}),
    "decimal": decimal.Decimal("1.50"),
    "path": PurePosixPath("/a/b"),
    "keys": {7: "a", None: "b", True: "c", 2.5: "d", dt.date(2026, 1, 1): "e"},
    "big": 2**70,
    "set": {3},
}

PLAIN = {
    "nan": [None, None, None, 1.5],
    "surrogate": "a\ufffdb",
    "pair": "😀",
    "k\ufffdey": 1,
    "emoji": "😀 ü",
    "when": "2026-11-29T01:02:03.000004+00:00",
    "date": "2026-11-29",
    "uuid": "00000000-0000-0000-0000-000000000007",
    "enum": ["red", 1],
    "dataclass": {"x": 1, "y": {"x": 2, "y": "red"}},
    "tuple": [1, [2, 3]],
    "mapping": {"a": {"b": 1}},
    "decimal": "1.50",
    "path": "/a/b",
    "keys": {"7": "a", "null": "b", "true": "c", "2.5": "d", "2026-01-01": "e"},
    "big": 2**70,
    "set": [3],
}


@pytest.mark.parametrize("name", [*WORLD])
def test_each_kind_of_value(engine: str, name: str) -> None:
    expected = PLAIN.get(name, PLAIN["k\ufffdey"])
    key = name.replace("\udfff", "\ufffd")
    assert json.loads(_encode.to_bytes({name: WORLD[name]})) == {key: expected}


def test_all_of_them_together(engine: str) -> None:
    assert json.loads(_encode.to_bytes(WORLD)) == PLAIN


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(st.characters()),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(st.characters()), inner, max_size=4),
    max_leaves=12,
)


@given(st.dictionaries(st.text(st.characters()), json_values, max_size=4))
def test_both_engines_give_the_same(event: dict[str, Any]) -> None:
    orjson_encoder, stdlib_encoder = _encode._orjson(), _encode._stdlib()
    if orjson_encoder is None:
        pytest.skip("orjson is not installed")
    results = []
    for encoder in (orjson_encoder, stdlib_encoder):
        _encode._encoder = encoder
        results.append(json.loads(_encode.to_bytes(event)))
    _encode._encoder = None
    assert results[0] == results[1]
    json.dumps(results[0], allow_nan=False).encode()


def _loop() -> dict[str, Any]:
    event: dict[str, Any] = {}
    event["self"] = event
    return event


@pytest.mark.parametrize(
    "event",
    [
        {"a": object()},
        {"a": [{"b": print}]},
        {object(): 1},
        _loop(),
        42,
        None,
        "no json",
        b"",
        b"[1]",
        b'{"a":1},{"b":2}',
        b"{",
        b"\xff",
        [1],
    ],
)
def test_what_is_no_event(engine: str, event: object) -> None:
    with pytest.raises(UnserialisableError):
        _encode.to_bytes(event)


def test_bytes_go_as_they_are(engine: str) -> None:
    raw = b' {"b" : 1, "a": "\xc3\xbc", "n": 1.0}'
    assert _encode.to_bytes(raw) == raw
    assert _encode.to_bytes(raw.decode()) == raw


@pytest.mark.parametrize(
    ("raw", "mended"),
    [
        (b'{"a": NaN, "b": [-Infinity]}', {"a": None, "b": [None]}),
        (b'{"a": "\\ud800"}', {"a": "\ufffd"}),
        (b'{"a": "\\ud83d\\ude00"}', {"a": "😀"}),
        (b'\xef\xbb\xbf{"a": 1}', {"a": 1}),
        ('{"a": "ü"}'.encode("utf-16"), {"a": "ü"}),
        ('{"a": "\ud800"}', {"a": "\ufffd"}),
    ],
)
def test_bytes_that_are_nearly_an_event(engine: str, raw: bytes, mended: dict[str, Any]) -> None:
    assert json.loads(_encode.to_bytes(raw).decode()) == mended


def test_capture_gives_dicts(engine: str) -> None:
    from headwater.producer import emit

    with capture_lineage() as events:
        assert emit({"a": math.nan})
        assert emit(b'{"b": 1}')
        assert not emit({"a": object()})
    assert events == [{"a": None}, {"b": 1}]
