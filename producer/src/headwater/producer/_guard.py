"""The one guard between headwater and the application that carries it.

Every public entry runs in it: what goes wrong inside headwater is counted and logged, and never reaches the caller.
In headwater's own tests it re-raises, so that no defect hides behind it.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from functools import wraps
from typing import ParamSpec, TypeVar

from ._environment import ENV_RAISE
from ._notice import notice

P = ParamSpec("P")
R = TypeVar("R")


class GuardState:
    """What the guard has seen in this process."""

    __slots__ = ("internal_errors", "raising")

    def __init__(self) -> None:
        self.raising = os.environ.get(ENV_RAISE, "") not in ("", "0")
        self.internal_errors = 0


STATE = GuardState()


def note_internal_error(error: Exception, where: str) -> None:
    """Counts and logs an error of our own; re-raises it in our own tests. Call it from an ``except`` block."""
    STATE.internal_errors += 1
    if STATE.raising:
        raise error
    try:
        notice("internal", "headwater failed in %s and went on without: %s: %s", where, type(error).__name__, error)
    except Exception:  # noqa: S110  the interpreter may be shutting down, or the stack be exhausted: nothing is left to tell
        pass


def guarded(fallback: R) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """Decorates a public entry: an Exception inside becomes ``fallback``. KeyboardInterrupt and its like pass."""

    def decorate(entry: Callable[P, R]) -> Callable[P, R]:
        @wraps(entry)
        def inside(*args: P.args, **kwargs: P.kwargs) -> R:
            try:
                return entry(*args, **kwargs)
            except Exception as error:
                note_internal_error(error, entry.__qualname__)
                return fallback

        return inside

    return decorate
