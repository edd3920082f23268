"""Strict JSON: what several readers would understand differently, or an engine could not store, is refused.

The quick way reads with the engine and checks the text as a whole, with a few searches that are exact when they find
nothing. Anything suspect goes the slow way (``diagnosis``), which decides, and names the place.
"""

from __future__ import annotations

import re
from typing import Any

from .canonical import canonical_json, may_hold_float, skeleton
from .diagnosis import MAX_INT, MIN_INT, check_size, diagnose
from .engine import STDLIB, Engine, default_engine
from .limits import DEFAULT_LIMITS, Limits

_DIGITS_TO_0 = bytes(0x30 if 0x30 <= i <= 0x39 else i for i in range(256))
_LONG_NUMBER = b"0" * 19  # the shortest run of digits that may pass 2**63 - 1
_LONG_NUMBERS = re.compile(rb"-?\d{19,}").findall
_BRACES = bytes.maketrans(b"[]", b"{}")
_NO_BRACKETS = bytes(set(range(256)) - set(b"{}[]"))


def loads_strict(raw: bytes, limits: Limits = DEFAULT_LIMITS, *, engine: Engine | None = None) -> Any:
    """The value of strict JSON bytes. Raises one of the InvalidEventError family, the same with every engine."""
    return parse(raw, limits, engine or default_engine())[0]


def parse(raw: bytes, limits: Limits, engine: Engine) -> tuple[Any, bytes]:
    """(the value, its canonical bytes). Raises as ``loads_strict``."""
    check_size(raw, limits)
    if b"\\u0000" in raw:
        return _slowly(raw, limits)
    try:
        value = engine.loads(raw)
        bones = skeleton(raw)
        floats = may_hold_float(bones)
        canonical = (STDLIB if floats else engine).dumps_sorted(value)
    except (ValueError, RecursionError):
        return _slowly(raw, limits)
    # Written canonically nothing but a float grows. So at equal lengths nothing went: no space and no repeated key.
    same = len(raw) == len(canonical) and not floats
    if _has_long_number(bones) or _is_deeper(bones, limits.max_depth):
        return _slowly(raw, limits)
    if not same and _has_duplicate(raw, bones, canonical):
        return _slowly(raw, limits)
    return value, canonical


def _slowly(raw: bytes, limits: Limits) -> tuple[Any, bytes]:
    value = diagnose(raw, limits)
    return value, canonical_json(value, engine=STDLIB)


def _has_long_number(bones: bytes) -> bool:
    if _LONG_NUMBER not in bones.translate(_DIGITS_TO_0):
        return False
    return any(len(digits) > 20 or not MIN_INT <= int(digits) <= MAX_INT for digits in _LONG_NUMBERS(bones))


def _is_deeper(bones: bytes, max_depth: int) -> bool:
    """Takes the innermost pairs away, once for each level allowed. The text is known to be JSON, so each bracket has
    its partner, and which kind it is does not matter."""
    brackets = bones.translate(_BRACES, _NO_BRACKETS)
    if len(brackets) <= 2 * max_depth:
        return False
    for _ in range(max_depth):
        if not brackets:
            return False
        brackets = brackets.replace(b"{}", b"")
    return bool(brackets)


def _has_duplicate(raw: bytes, bones: bytes, canonical: bytes) -> bool:
    """Whether the text has more keys than the value, which kept the last of each.

    Every key has a colon behind it, so a lost key is a missing colon. The colons within strings are the same in both
    texts unless one is written as \\u003a; where that may be, the colons outside strings are counted.
    """
    if b"\\u" not in raw:
        return raw.count(b":") != canonical.count(b":")
    return bones.count(b":") != skeleton(canonical).count(b":")
