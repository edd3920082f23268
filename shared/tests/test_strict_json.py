"""Strict JSON: each poison has its error and its place; both engines refuse and accept the same."""

from __future__ import annotations

import json
import math
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from headwater.shared import codec, errors
from headwater.shared.diagnosis import diagnose
from headwater.shared.engine import STDLIB, Engine, default_engine
from headwater.shared.limits import DEFAULT_LIMITS, Limits

ENGINES = [default_engine(), STDLIB]
both = pytest.mark.parametrize("engine", ENGINES, ids=lambda engine: engine.name)
MAX_INT = 2**63 - 1

POISON: list[tuple[bytes, type[errors.InvalidEventError], str]] = [
    (b"", errors.NotJsonError, "byte 0"),
    (b"   ", errors.NotJsonError, "byte 3"),
    (b"{", errors.NotJsonError, "byte 1"),
    (b'{"a":1,}', errors.NotJsonError, "byte 7"),
    (b'{"a":[1,2}', errors.NotJsonError, "byte 9"),
    (b'{"a":1} {"b":2}', errors.NotJsonError, "byte 8"),
    (b"{'a':1}", errors.NotJsonError, "byte 1"),
    (b'{"a":01}', errors.NotJsonError, "byte 6"),
    (b'{"a":+1}', errors.NotJsonError, "byte 5"),
    (b'{"a":.5}', errors.NotJsonError, "byte 5"),
    (b'{"a":tru}', errors.NotJsonError, "byte 5"),
    (b'{"a":"\x01"}', errors.NotJsonError, "byte 6"),
    (b'{"a":"\\x"}', errors.NotJsonError, "byte 6"),
    (b'{"a":"\\u12"}', errors.NotJsonError, "byte 7"),
    (b'{"a":"unfinished', errors.NotJsonError, "byte 5"),
    (b'{"a":1}//x', errors.NotJsonError, "byte 7"),
    (b'\xef\xbb\xbf{"a":1}', errors.NotJsonError, "byte 0"),
    ('{"é":}'.encode(), errors.NotJsonError, "byte 6"),
    (b'{"a":{"b":[0,NaN]}}', errors.NotJsonError, "/a/b/1"),
    (b'{"a":Infinity}', errors.NotJsonError, "/a"),
    (b'{"a":-Infinity}', errors.NotJsonError, "/a"),
    (b'{"a":"\xff"}', errors.NotUtf8Error, "byte 6"),
    (b'{"a":"\xc0\xaf"}', errors.NotUtf8Error, "byte 6"),
    (b'{"a":"\xed\xa0\x80"}', errors.NotUtf8Error, "byte 6"),
    (b'{"a":"\xf0\x9f\x98', errors.NotUtf8Error, "byte 6"),
    ('{"a":1}'.encode("utf-16"), errors.NotUtf8Error, "byte 0"),
    (b'{"a":["\\ud800"]}', errors.NotUtf8Error, "/a/0"),
    (b'{"a":"\\udc00\\ud800"}', errors.NotUtf8Error, "/a"),
    (b'{"a":"\\uD800x"}', errors.NotUtf8Error, "/a"),
    (b'{"\\ud800":1}', errors.NotUtf8Error, "/\\ud800"),
    (b'{"a":"x\\u0000y"}', errors.ForbiddenCharacterError, "/a"),
    (b'{"x/y~":{"n\\u0000":1}}', errors.ForbiddenCharacterError, "/x~1y~0/n\\u0000"),
    (b'{"a":"\x00"}', errors.ForbiddenCharacterError, "byte 6"),
    (b'{"a":1,"a":1}', errors.DuplicateKeyError, "/a"),
    (b'{"o":[{"b":1,"c":{"d":1,"d":{}}}]}', errors.DuplicateKeyError, "/o/0/c/d"),
    (b'{"a":1,"\\u0061":2}', errors.DuplicateKeyError, "/a"),
    (b'{"a":"\\u0022:","b":1,"b":2}', errors.DuplicateKeyError, "/b"),
    (b'{"c":"\\u003a","b":1,"b":2}', errors.DuplicateKeyError, "/b"),
    (b'{"":1,"":2}', errors.DuplicateKeyError, "/"),
    (b'{"b" : 1 ,\n"b"\t:2}', errors.DuplicateKeyError, "/b"),
    (b'{"a":1.5,"b":1e2,"b":2}', errors.DuplicateKeyError, "/b"),
    (b'{"a":%d}' % (MAX_INT + 1), errors.NumberOutOfRangeError, "/a"),
    (b'{"a":%d}' % (-MAX_INT - 2), errors.NumberOutOfRangeError, "/a"),
    (b'{"a":18446744073709551615}', errors.NumberOutOfRangeError, "/a"),
    (b'{"a":[0,18446744073709551616]}', errors.NumberOutOfRangeError, "/a/1"),
    (b'{"a":' + b"9" * 5000 + b"}", errors.NumberOutOfRangeError, "/a"),
    (b'{"a":1e400}', errors.NumberOutOfRangeError, "/a"),
    (b'{"a":-1E+400}', errors.NumberOutOfRangeError, "/a"),
    (b"[" * 100_000, errors.TooDeepError, "byte 100"),
    (b'{"a":' * 100_000, errors.TooDeepError, "byte 500"),
    (b"[" * 101 + b"]" * 101, errors.TooDeepError, "byte 100"),
    (b'{"a":"\\"[[[","b":' + b'{"c":"]]]]","d":[' * 60 + b"]}" * 60 + b"}", errors.TooDeepError, "byte 866"),
]


@both
@pytest.mark.parametrize(("raw", "error", "where"), POISON, ids=lambda value: repr(value)[:40])
def test_poison(raw: bytes, error: type[errors.InvalidEventError], where: str, engine: Engine) -> None:
    with pytest.raises(errors.InvalidEventError) as caught:
        codec.loads_strict(raw, engine=engine)
    assert type(caught.value) is error
    assert caught.value.where == where
    assert where in str(caught.value)
    assert len(str(caught.value)) < 300
    str(caught.value).encode()


@both
def test_too_large(engine: Engine) -> None:
    limits = Limits(max_event_bytes=10)
    assert codec.loads_strict(b'"12345678"', limits, engine=engine) == "12345678"
    with pytest.raises(errors.EventTooLargeError, match="11 bytes, at most 10"):
        codec.loads_strict(b'"123456789"', limits, engine=engine)


@both
@pytest.mark.parametrize(
    "raw",
    [
        b'{"a":%d,"b":%d}' % (MAX_INT, -MAX_INT - 1),
        b'{"a":-0,"b":-0.0,"c":0e5,"d":1e-400}',
        b'{"a":0.12345678901234567890123,"b":1767225600000000000}',
        b'{"a":"\\\\u0000","b":"\\\\\\\\u0000"}',
        b'{"a":"\\ud83d\\ude00","b":"\\"{[","c":":"}',
        b'{"a":"\\u003a","b":"1e400 99999999999999999999"}',
        b'{"a":{"a":{"a":[]}},"b":[{"a":1},{"a":1}]}',
        b"[" * 100 + b"]" * 100,
        b'{"big":"' + b"[" * 1000 + b'"}',
        b" \t\r\n[1 , 2]\n",
        '{"é":"\u2028\x7f\\u001f\\b\\f\\/"}'.encode(),
        b'{"a":true,"b":false,"c":null,"d":[1E5,1e5,1.0]}',
        b'"text"',
        b"null",
    ],
    ids=lambda raw: repr(raw[:40]),
)
def test_accepted(raw: bytes, engine: Engine) -> None:
    assert codec.loads_strict(raw, engine=engine) == json.loads(raw)
    assert diagnose(raw, DEFAULT_LIMITS) == json.loads(raw)


def outcome(raw: bytes, engine: Engine) -> tuple[Any, ...]:
    from headwater.shared.strict import parse

    try:
        value, canonical = parse(raw, DEFAULT_LIMITS, engine)
    except errors.InvalidEventError as error:
        return type(error), str(error)
    return repr(value), canonical


# Texts made of the pieces that decide: escapes, quotes, colons, brackets, numbers at the edges.
pieces = st.sampled_from(
    [
        *'{}[]",:\\ \n',
        *("1", "-", "0", ".", "e", "E", "+", "-0", "1e400", "1e16", "1.5", "0.00001", "9223372036854775807"),
        *("9223372036854775808", "-9223372036854775809", "18446744073709551616", "true", "false", "null", "NaN"),
        *('"a"', '"a":', '"b":', '"a" :', '{"a":1}', '"\\u003a"', '"\\u0022:"', '"\\u0000"', '"\\\\u0000"', "\x00"),
        *('"\\ud800"', '"\\ud83d\\ude00"', '"\\u0061":', '":"', '"é"', '"\\n"', '"\\/"', "[]", "{}", "[[", "]]"),
    ]
)


@given(st.lists(pieces, max_size=12).map("".join))
@example('{"a":1,"a":2}')
@example('{"a" :1,"b":":","b":2}')
def test_engines_agree_on_any_text(text: str) -> None:
    raw = text.encode()
    assert outcome(raw, ENGINES[0]) == outcome(raw, STDLIB)


@given(st.binary(max_size=40))
def test_engines_agree_on_any_bytes(raw: bytes) -> None:
    assert outcome(raw, ENGINES[0]) == outcome(raw, STDLIB)


texts = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=8) | st.sampled_from(
    [":", '":', "\\", '"', "a", "b", "[", "}}", "\\u0000", "1e5", "é", "😀"]
)
numbers = st.integers(-MAX_INT - 1, MAX_INT) | st.floats(allow_nan=False, allow_infinity=False)
values = st.recursive(
    st.none() | st.booleans() | numbers | texts,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(texts, inner, max_size=4),
    max_leaves=12,
)


@given(values, st.booleans(), st.sampled_from([None, 1, "\t"]))
def test_what_json_writes_is_read_back_alike(value: Any, ascii_only: bool, indent: Any) -> None:
    raw = json.dumps(value, ensure_ascii=ascii_only, indent=indent).encode()
    # A text that says \u0000 with its backslash escaped is no NUL and must pass.
    results = [outcome(raw, engine) for engine in ENGINES]
    assert results[0] == results[1] == (repr(value), codec.canonical_json(value, engine=STDLIB))


@given(values)
def test_canonical_bytes_do_not_depend_on_the_engine(value: Any) -> None:
    canonical = codec.canonical_json(value, engine=STDLIB)
    assert codec.canonical_json(value, engine=ENGINES[0]) == canonical
    assert json.loads(canonical) == value
    assert codec.canonical_json(json.loads(canonical)) == canonical


@given(st.dictionaries(texts, values, min_size=2, max_size=4), st.randoms(use_true_random=False))
def test_canonical_bytes_do_not_depend_on_order(value: dict[str, Any], random: Any) -> None:
    items = list(value.items())
    random.shuffle(items)
    assert codec.canonical_json(dict(items)) == codec.canonical_json(value)


@given(values, texts, values)
def test_a_repeated_key_is_always_seen(value: Any, key: str, other: Any) -> None:
    name = json.dumps(key)
    raw = f'{{"x":{json.dumps(value)},{name}:{json.dumps(other)},"y":[{{}}],{name}:1}}'.encode()
    for engine in ENGINES:
        with pytest.raises(errors.DuplicateKeyError):
            codec.loads_strict(raw, engine=engine)


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_floats_are_written_as_repr(number: float) -> None:
    for engine in ENGINES:
        assert codec.canonical_json(number, engine=engine) == repr(number).encode()


def test_canonical_form_is_fixed() -> None:
    """The id of an event depends on these bytes: they must never change."""
    value = {"b": [1, -0.0, 1e16, 1e-5, True, None], "a": {"é": '\x7f\u2028\n\x1f/\\"', "Z": math.pi}}
    canonical = codec.canonical_json(value)
    assert (
        canonical
        == (
            '{"a":{"Z":3.141592653589793,"é":"\x7f\u2028\\n\\u001f/\\\\\\""},"b":[1,-0.0,1e+16,1e-05,true,null]}'
        ).encode()
    )
    assert codec.event_id_of(b"{}") == "2afb9b83f9314e5d029766197f539792"


@both
@pytest.mark.parametrize("value", [math.nan, [math.inf], {"a": [None, -math.inf]}])
def test_nan_is_never_written(value: Any, engine: Engine) -> None:
    with pytest.raises(ValueError):
        engine.dumps(value)
    with pytest.raises(ValueError):
        codec.canonical_json(value, engine=engine)


@given(st.integers(1, 40), st.integers(1, 40))
def test_depth_is_counted_exactly(depth: int, limit: int) -> None:
    raw = b'{"a":[' * (depth // 2) + b"[" * (depth % 2) + b"]" * (depth % 2) + b"]}" * (depth // 2)
    wide = b"[" + raw + b',{},[],"[[[["' * 100 + b"]"
    for engine in ENGINES:
        try:
            codec.loads_strict(wide, Limits(max_depth=limit), engine=engine)
            accepted = True
        except errors.TooDeepError:
            accepted = False
        assert accepted == (max(depth, 1) + 1 <= limit)
