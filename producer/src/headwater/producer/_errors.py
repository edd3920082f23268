"""How a run ended, by what its work raised."""

from __future__ import annotations

import sys
from typing import Any, Literal

_MAX_MESSAGE_CHARS = 16_384
_MAX_TRACE_CHARS = 65_536


def ends_as(error: BaseException | None) -> Literal["COMPLETE", "FAIL", "ABORT"]:
    """COMPLETE without an error and for ``sys.exit(0)``; FAIL for an Exception and another exit status; ABORT for
    what is no failure of the work: cancellation, KeyboardInterrupt, an abandoned generator."""
    if error is None:
        return "COMPLETE"
    if isinstance(error, SystemExit):
        return "COMPLETE" if error.code in (None, 0) else "FAIL"
    if not isinstance(error, Exception):
        return "FAIL" if isinstance(error, BaseExceptionGroup) and error.split(_is_failure)[0] else "ABORT"
    return "FAIL"


def _is_failure(error: BaseException) -> bool:
    return isinstance(error, Exception) and not isinstance(error, BaseExceptionGroup)


def error_facet(error: BaseException | str) -> dict[str, Any]:
    """The content of the ``errorMessage`` facet; both texts are cut in the middle where they are absurdly long."""
    if isinstance(error, str):
        return {"message": _cut(error, _MAX_MESSAGE_CHARS), "programmingLanguage": "python"}
    try:
        message = str(error)
    except Exception:  # an exception whose __str__ raises is the application's, and still has a type
        message = ""
    return {
        "message": _cut(message or type(error).__name__, _MAX_MESSAGE_CHARS),
        "programmingLanguage": "python",
        "stackTrace": _cut(_trace(error), _MAX_TRACE_CHARS),
    }


def _trace(error: BaseException) -> str:
    import traceback

    depth = sys.getrecursionlimit()
    return "".join(traceback.format_exception(type(error), error, error.__traceback__, limit=-min(200, depth)))


def _cut(text: str, most: int) -> str:
    if len(text) <= most:
        return text
    half = most // 2
    return f"{text[:half]}\n... {len(text) - 2 * half} characters left out ...\n{text[-half:]}"
