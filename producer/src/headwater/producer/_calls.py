"""What kind of function this is, by its code's flags: ``inspect`` costs an import."""

from __future__ import annotations

from functools import partial
from typing import Any

_GENERATOR, _COROUTINE, _ITERABLE_COROUTINE, _ASYNC_GENERATOR = 0x20, 0x80, 0x100, 0x200
_MARK = "_is_coroutine_mark"  # what inspect.markcoroutinefunction leaves


def _flags(function: Any) -> int:
    while isinstance(function, partial):
        function = function.func
    code = getattr(function, "__code__", None)
    if code is None:
        code = getattr(vars(type(function)).get("__call__"), "__code__", None)
    return int(getattr(code, "co_flags", 0))


def is_coroutine_function(function: Any) -> bool:
    """Whether calling it gives a coroutine."""
    return bool(_flags(function) & _COROUTINE) or _MARK in getattr(function, "__dict__", ())


def is_generator_function(function: Any) -> bool:
    return bool(_flags(function) & _GENERATOR) and not _flags(function) & _ITERABLE_COROUTINE


def is_async_generator_function(function: Any) -> bool:
    return bool(_flags(function) & _ASYNC_GENERATOR)


def name_of(function: Any) -> str:
    """``module.qualname`` of what a decorator was put on; ``__main__`` by the script's own name."""
    while isinstance(function, partial):
        function = function.func
    named = function if hasattr(function, "__qualname__") else type(function)
    module = getattr(named, "__module__", None) or "unknown"
    if module == "__main__":
        from ._application import main_name

        module = main_name()
    return f"{module}.{named.__qualname__}"
