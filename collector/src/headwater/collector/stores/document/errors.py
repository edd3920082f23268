"""The driver's errors, told as ours."""

from __future__ import annotations

from typing import Any, Final

from bson.errors import BSONError, InvalidDocument
from pymongo.errors import BulkWriteError, DocumentTooLarge, OperationFailure, PyMongoError

from headwater.shared.errors import PermanentError, TransientError

_SHOWN_CHARS: Final = 500
"""A bulk write's error says all its documents."""
DUPLICATE: Final = 11000
_REFUSED: Final = frozenset({2, 9, 14, 22, 121, 10334, 17280, 17419, 17420})
"""BadValue, FailedToParse, TypeMismatch, InvalidBSON, DocumentValidationFailure, and words for too large."""
_LOGIN: Final = frozenset({13, 18})
"""Unauthorized, AuthenticationFailed."""


def classified(error: Exception, store: str) -> TransientError | PermanentError:
    """What will never be taken for what it is, is permanent; all else (down, full, no rights yet) may work later."""
    refused = isinstance(error, (DocumentTooLarge, InvalidDocument, BSONError)) or (
        isinstance(error, OperationFailure) and error.code in _REFUSED
    )
    kind = PermanentError if refused else TransientError
    return kind(f"store {store}: {type(error).__name__}: {str(error)[:_SHOWN_CHARS]}")


def refused_login(error: PyMongoError) -> bool:
    """User or password are wrong, or the user may not."""
    return isinstance(error, OperationFailure) and error.code in _LOGIN


def duplicates(error: BulkWriteError) -> list[int]:
    """Indexes of the documents that were there before. Raises OperationFailure if anything else went wrong."""
    details: dict[str, Any] = dict(error.details or {})
    failures = details.get("writeErrors") or []
    others = [failure for failure in failures if failure.get("code") != DUPLICATE]
    if others:
        raise OperationFailure(str(others[0].get("errmsg")), others[0].get("code")) from None
    if concerns := details.get("writeConcernErrors"):
        raise OperationFailure(f"not acknowledged: {concerns[0].get('errmsg')}", concerns[0].get("code")) from None
    return [int(failure["index"]) for failure in failures]
