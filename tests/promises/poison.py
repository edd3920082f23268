"""Messages that no collector can store, of many kinds."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

from .events import numbered

Kind = Callable[[dict[str, Any], random.Random], bytes]


def _text(event: dict[str, Any]) -> str:
    import json

    return json.dumps(event)


def _with(path: str, value: Any) -> Kind:
    """The event with the value at ``/``-separated ``path``; ``...`` removes it."""

    def make(event: dict[str, Any], rng: random.Random) -> bytes:
        *parents, last = path.split("/")
        holder: Any = event
        for key in parents:
            holder = holder[int(key)] if isinstance(holder, list) else holder[key]
        if value is ...:
            del holder[last]
        else:
            holder[last] = value
        return _text(event).encode()

    return make


def _raw(change: Callable[[str, random.Random], bytes]) -> Kind:
    return lambda event, rng: change(_text(event), rng)


def _member(text: str) -> Kind:
    """The event with one more member, written as it stands."""
    return lambda event, rng: (_text(event)[:-1] + f', "extra": {text}}}').encode("utf-8", "surrogatepass")


KINDS: dict[str, Kind] = {
    "empty": lambda event, rng: b"",
    "blank": lambda event, rng: b" \n\t ",
    "cut off": _raw(lambda text, rng: text[: rng.randint(1, len(text) - 1)].encode()),
    "two values": _raw(lambda text, rng: (text + text).encode()),
    "random bytes": lambda event, rng: b"\xff" + rng.randbytes(rng.randint(1, 300)),
    "latin-1": _raw(lambda text, rng: text.replace("step", "schritt-ü").encode("latin-1")),
    "utf-16": _raw(lambda text, rng: text.encode("utf-16")),
    "overlong utf-8": _raw(lambda text, rng: text[:-1].encode() + b', "x": "\xc0\xaf"}'),
    "lone surrogate": _member('"\\ud800"'),
    "surrogate bytes": _member('"\ud800"'),
    "NaN": _member("NaN"),
    "Infinity": _member("-Infinity"),
    "single quotes": _raw(lambda text, rng: text.replace('"', "'").encode()),
    "trailing comma": _raw(lambda text, rng: (text[:-1] + ",}").encode()),
    "duplicate key": _member('{"a": 1, "a": 2}'),
    "too deep": _member("[" * 5000 + "]" * 5000),
    "huge integer": _member("9" * 40),
    "huge float": _member("1e999"),
    "an array": _raw(lambda text, rng: f"[{text}]".encode()),
    "a text": lambda event, rng: b'"START"',
    "a number": lambda event, rng: b"42",
    "null": lambda event, rng: b"null",
    "no job, run or dataset": lambda event, rng: b'{"eventTime": "2026-01-01T00:00:00Z", "producer": "p"}',
    "no run id": _with("run/runId", ...),
    "a run that is a text": _with("run", "r1"),
    "a run id that is a number": _with("run/runId", 7),
    "no job": _with("job", ...),
    "a job without name": _with("job/name", ...),
    "a job whose name is null": _with("job/name", None),
    "a job whose name is blank": _with("job/name", "  "),
    "a job without namespace": _with("job/namespace", ...),
    "NUL in a name": _with("job/name", "a\0b"),
    "a name without end": _with("job/name", "n" * 20_000),
    "no event time": _with("eventTime", ...),
    "an event time that is none": _with("eventTime", "yesterday"),
    "an event time in month 13": _with("eventTime", "2026-13-01T00:00:00Z"),
    "an event type that is a number": _with("eventType", 3),
    "inputs that are an object": _with("inputs", {"namespace": "a", "name": "b"}),
    "an input that is a text": _with("inputs", ["table"]),
    "an input without name": _with("inputs", [{"namespace": "a"}]),
}


def poison(number: int, rng: random.Random) -> tuple[str, bytes]:
    """The ``number``-th poison message: (kind, bytes). All kinds take turns."""
    kind = list(KINDS)[number % len(KINDS)]
    return kind, KINDS[kind](numbered("poison", number), rng)
