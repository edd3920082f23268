"""PostgreSQL's and the driver's errors in our two words."""

from __future__ import annotations

from typing import Final

import psycopg
from sqlalchemy.exc import DBAPIError

from headwater.shared.errors import PermanentError, TransientError

_REFUSED: Final = ("22", "23", "54")
"""SQLSTATE classes that a batch is to blame for: data, constraints, the program's limits. Rights, missing tables, full
disks, a standby in the primary's place: somebody can mend those while events wait."""
_TRY_AGAIN: Final = ("40001", "40P01")
"""Serialisation failure and deadlock."""


_BROKEN: Final = ("57P", "08")
"""An administrator, a crash or a shutdown ended the session; the connection."""


def is_broken(error: Exception) -> bool:
    """The connection is of no more use, though the driver may not have noticed yet."""
    return (_state(cause_of(error)) or "").startswith(_BROKEN)


def cause_of(error: Exception) -> BaseException:
    """The driver's own error."""
    return error.orig if isinstance(error, DBAPIError) and error.orig is not None else error


def worth_another_try(error: Exception) -> bool:
    """Two writers were in each other's way."""
    return _state(cause_of(error)) in _TRY_AGAIN


def failure(error: Exception, store: str) -> TransientError | PermanentError:
    """See ``Backend.failure``."""
    cause = cause_of(error)
    state = _state(cause)
    if state is None:
        permanent = isinstance(cause, (psycopg.DataError, UnicodeEncodeError, OverflowError))
    else:
        permanent = state.startswith(_REFUSED)
    text = " ".join(str(cause).split()) or type(cause).__name__
    return (PermanentError if permanent else TransientError)(f"store {store}: {state + ': ' if state else ''}{text}")


def _state(error: BaseException) -> str | None:
    return error.sqlstate if isinstance(error, psycopg.Error) else None
