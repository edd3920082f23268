"""Values that are no JSON made JSON: the slow way, taken only when an encoder refuses an event."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

_MAX_DEPTH = 200


class UnserialisableError(Exception):
    """The value cannot be written as JSON."""


def plain(value: Any, _depth: int = 0) -> Any:
    """A copy of dicts, lists, texts, numbers, booleans and None alone. NaN and Infinity become None, lone surrogates
    U+FFFD, keys texts. Raises UnserialisableError."""
    if value is None or value is True or value is False:
        return value
    if isinstance(value, str):
        return _text(value)
    if isinstance(value, int):
        return int(value)
    if isinstance(value, float):
        return float(value) if value - value == 0 else None
    if _depth > _MAX_DEPTH:
        raise UnserialisableError(f"nested deeper than {_MAX_DEPTH} levels, or within itself")
    if isinstance(value, Mapping):
        return {_key(key): plain(item, _depth + 1) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(item, _depth + 1) for item in value]
    try:
        return plain(one_level(value), _depth + 1)
    except TypeError as error:
        raise UnserialisableError(str(error)) from None


def one_level(value: Any) -> Any:
    """What a JSON encoder calls for a value that it does not know: nearer to JSON by one step. Raises TypeError."""
    if isinstance(value, Mapping):
        return dict(value)
    if isinstance(value, (tuple, set, frozenset)):
        return list(value) if isinstance(value, tuple) else sorted(value, key=repr)
    kind = type(value)
    if hasattr(kind, "__attrs_attrs__"):
        from ._encode import openlineage_dict

        return openlineage_dict(value)
    if hasattr(kind, "__dataclass_fields__"):
        return {name: getattr(value, name) for name in kind.__dataclass_fields__}
    for base in kind.__mro__:
        match base.__module__, base.__qualname__:
            case "enum", "Enum":
                return value.value
            case "datetime", "datetime" | "date" | "time":
                return value.isoformat()
            case ("uuid", "UUID") | ("decimal", "Decimal"):
                return str(value)
    if hasattr(value, "__fspath__"):
        return value.__fspath__()
    if kind.__module__ == "numpy" and hasattr(value, "item") and getattr(value, "ndim", 1) == 0:
        return value.item()
    raise TypeError(f"a {kind.__name__} is no JSON value")


def _text(value: str) -> str:
    if value.isascii():
        return str(value)
    return value.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def _key(key: Any) -> str:
    """As the standard library writes keys; dates, UUIDs and enumerations by their value."""
    if isinstance(key, str):
        return _text(key)
    if key is None or isinstance(key, bool):
        return {None: "null", True: "true", False: "false"}[key]
    if isinstance(key, (int, float)):
        return repr(key)
    try:
        nearer = one_level(key)
    except TypeError:
        nearer = None
    if isinstance(nearer, (str, int)):
        return _key(nearer)
    raise UnserialisableError(f"a {type(key).__name__} is no key of an object")
