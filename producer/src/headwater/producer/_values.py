"""Readers of setting values: each takes key and value, and raises ConfigurationError that says what would do."""

from __future__ import annotations

from typing import Any

from headwater.shared.errors import ConfigurationError

_WORDS = {"1": True, "true": True, "yes": True, "on": True, "0": False, "false": False, "no": False, "off": False}
_UNITS = {"kib": 2**10, "mib": 2**20, "gib": 2**30, "kb": 10**3, "mb": 10**6, "gb": 10**9, "b": 1}


def a_text(key: str, value: Any) -> str:
    if hasattr(value, "__fspath__"):
        value = value.__fspath__()
    if not isinstance(value, str) or not value.strip() or "\0" in value:
        raise ConfigurationError(key, value, "give a text that is not empty")
    return value


def a_bool(key: str, value: Any) -> bool:
    found = value if isinstance(value, bool) else _WORDS.get(str(value).strip().lower())
    if found is None:
        raise ConfigurationError(key, value, "use true or false")
    return found


def a_not_bool(key: str, value: Any) -> bool:
    return not a_bool(key, value)


def a_size(key: str, value: Any) -> int:
    """Bytes: a number, or a text with a unit."""
    remedy = "give a number of bytes above 0, with a unit if you like: 64MiB, 1GiB"
    text = str(value).strip().lower()
    unit = next((one for one in _UNITS if text.endswith(one)), "")
    number = text.removesuffix(unit).strip()
    if isinstance(value, bool) or not number.isascii() or not number.isdigit() or int(number) < 1:
        raise ConfigurationError(key, value, remedy)
    return int(number) * _UNITS.get(unit, 1)


def a_duration(key: str, value: Any) -> float:
    """Seconds, 0 or more."""
    remedy = "give a number of seconds between 0 and 3600"
    try:
        seconds = float(value)
    except (TypeError, ValueError):
        raise ConfigurationError(key, value, remedy) from None
    if isinstance(value, bool) or not 0 <= seconds <= 3600:
        raise ConfigurationError(key, value, remedy)
    return seconds


def a_secret(key: str, value: Any) -> str:
    """A header's value; never shown, not even when it is wrong."""
    if not isinstance(value, str) or not value.strip().isascii() or not value.strip().isprintable():
        raise ConfigurationError(key, "(not shown)", "give one line of printable ASCII")
    return value.strip()


def a_table(key: str, value: Any) -> dict[str, Any]:
    """Its keys are read by whoever it is for. Never shown: it may hold a password."""
    if not isinstance(value, dict):
        raise ConfigurationError(key, "(not shown)", "give a table")
    return dict(value)


def urls(key: str, value: Any) -> tuple[str, ...]:
    """One URL, several with commas between, or a list. What each means is its transport's to say."""
    from .transports import split_urls

    given = list(value) if isinstance(value, (list, tuple)) else split_urls(value) if isinstance(value, str) else []
    if not given or not all(isinstance(one, str) and one.strip() for one in given):
        raise ConfigurationError(key, value, "give a URL such as http://127.0.0.1:5000 or file:///var/lib/headwater")
    return tuple(one.strip() for one in given)
