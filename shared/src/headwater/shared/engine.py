"""The JSON engine: orjson where it is installed, else the standard library. Both give the same answers.

Found at first use, since importing headwater.shared must load no third-party module. ``HEADWATER_JSON=stdlib`` (or
``orjson``) forces one.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from typing import Any, NamedTuple

from .errors import ConfigurationError
from .names import ENV_JSON


class Engine(NamedTuple):
    """One way to read and write JSON. ``loads`` may be laxer than ``strict`` allows; ``strict`` sees to that."""

    name: str
    loads: Callable[[bytes], Any]
    """Raises ValueError or RecursionError."""
    dumps: Callable[[Any], bytes]
    """Compact UTF-8, keys in the order given. Raises TypeError, ValueError or RecursionError."""
    dumps_sorted: Callable[[Any], bytes]
    """Compact UTF-8, keys by code point. Floats as the engine likes: see ``canonical``."""


def _refuse_constant(word: str) -> Any:
    raise ValueError(f"{word} is not JSON")


def _plain(value: Any) -> Any:
    """What people put into events besides JSON's own kinds: UUIDs, dates and times, enumerations."""
    for kind in type(value).__mro__:
        match kind.__module__, kind.__qualname__:
            case "uuid", "UUID":
                return str(value)
            case "datetime", "datetime" | "date" | "time":
                return value.isoformat()
            case "enum", "Enum":
                return value.value
    raise TypeError(f"a {type(value).__qualname__} is no JSON value")


_decoder = json.JSONDecoder(parse_constant=_refuse_constant)
_encode = json.JSONEncoder(ensure_ascii=False, allow_nan=False, separators=(",", ":"), default=_plain).encode
_encode_sorted = json.JSONEncoder(
    ensure_ascii=False, allow_nan=False, separators=(",", ":"), sort_keys=True, default=_plain
).encode

STDLIB = Engine(
    "stdlib",
    lambda raw: _decoder.decode(raw.decode()),
    lambda value: _encode(value).encode(),
    lambda value: _encode_sorted(value).encode(),
)


def _orjson() -> Engine:
    import orjson

    passthrough = orjson.OPT_PASSTHROUGH_DATACLASS | orjson.OPT_PASSTHROUGH_DATETIME | orjson.OPT_PASSTHROUGH_SUBCLASS
    sort = passthrough | orjson.OPT_SORT_KEYS
    orjson_dumps = orjson.dumps

    def careful(options: int, exact: Callable[[Any], bytes]) -> Callable[[Any], bytes]:
        def dumps(value: Any) -> bytes:
            try:
                text = orjson_dumps(value, None, options)
            except TypeError:  # a kind, a key or a number that orjson refuses: let the standard library decide
                return exact(value)
            # orjson writes NaN as null. Where a null stands the standard library decides, and refuses NaN.
            return exact(value) if b"null" in text and _holds_nan(value) else text

        return dumps

    return Engine("orjson", orjson.loads, careful(passthrough, STDLIB.dumps), careful(sort, STDLIB.dumps_sorted))


def _holds_nan(value: Any) -> bool:
    waiting = [value]
    while waiting:
        item = waiting.pop()
        if isinstance(item, dict):
            waiting.extend(item.values())
        elif isinstance(item, (list, tuple)):
            waiting.extend(item)
        elif isinstance(item, float) and (item != item or item in (float("inf"), float("-inf"))):
            return True
    return False


_default: Engine | None = None


def default_engine() -> Engine:
    """The engine of this process. Raises ConfigurationError where HEADWATER_JSON asks for one that is not there."""
    global _default
    if _default is None:
        _default = _choose(os.environ.get(ENV_JSON, "").strip().lower())
    return _default


def _choose(wish: str) -> Engine:
    if wish == "stdlib":
        return STDLIB
    if wish not in ("", "orjson"):
        raise ConfigurationError(ENV_JSON, wish, "use stdlib or orjson, or leave it unset")
    try:
        return _orjson()
    except ImportError:
        if wish:
            raise ConfigurationError(ENV_JSON, wish, "orjson is not installed: pip install orjson") from None
        return STDLIB


def dumps(value: Any) -> bytes:
    """Compact UTF-8 JSON, keys in the order given; UUIDs, dates and enumerations as texts.

    Raises TypeError for a value that is no JSON, ValueError for NaN, Infinity or a lone surrogate.
    """
    return default_engine().dumps(value)
