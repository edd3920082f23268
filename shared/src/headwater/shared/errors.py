"""Every error that headwater raises on purpose.

    HeadwaterError
    ├── ConfigurationError        a setting is wrong: names the key, the value and the remedy
    ├── TransientError            may work when tried again (a server is down, a disk is full for now)
    │   └── LogFullError          a bounded log has no room until a consumer catches up
    └── PermanentError            will never work, however often it is tried
        └── InvalidEventError     the bytes are no acceptable OpenLineage event
            ├── EventTooLargeError      over max_event_bytes
            ├── TooDeepError            nested deeper than max_depth
            ├── NotUtf8Error            not UTF-8, or a lone surrogate among its escapes
            ├── NotJsonError            not JSON, NaN and Infinity included
            ├── DuplicateKeyError       an object says one key twice
            ├── NumberOutOfRangeError   an integer outside 64 bits, a float outside a double
            ├── ForbiddenCharacterError a NUL in a name or a text
            └── InvalidFieldError       a field of the envelope is missing or of the wrong kind

A store or transport decides between transient and permanent where it catches the driver's error; nothing else guesses.
"""

from __future__ import annotations


class HeadwaterError(Exception):
    """Root of headwater's errors."""


class ConfigurationError(HeadwaterError):
    """A setting is wrong. The message names the key, the value and what would be accepted."""

    def __init__(self, key: str, value: object, remedy: str) -> None:
        super().__init__(f"{key} = {value!r}: {remedy}")
        self.key, self.value, self.remedy = key, value, remedy


class TransientError(HeadwaterError):
    """It may work when tried again. ``retry_after_s`` is the other side's own wish, where it said one."""

    def __init__(self, message: str, *, retry_after_s: float | None = None) -> None:
        super().__init__(message)
        self.retry_after_s = retry_after_s


class LogFullError(TransientError):
    """A bounded log has no room left until its consumers catch up."""


class PermanentError(HeadwaterError):
    """It will never work, however often it is tried."""


class InvalidEventError(PermanentError):
    """Bytes that are no acceptable event.

    ``reason`` is a stable word for metrics and dead letters. ``where`` is a JSON pointer (``/job/name``), or
    ``byte N`` where no value could be read, or ``""`` for the whole.
    """

    reason = "invalid_event"

    def __init__(self, message: str, *, where: str = "") -> None:
        super().__init__(f"{where}: {message}" if where else message)
        self.message, self.where = message, where

    def __reduce__(self) -> tuple[object, ...]:
        return (_rebuild, (type(self), self.message, self.where))


def _rebuild(kind: type[InvalidEventError], message: str, where: str) -> InvalidEventError:
    return kind(message, where=where)


class EventTooLargeError(InvalidEventError):
    """Over ``Limits.max_event_bytes``."""

    reason = "too_large"


class TooDeepError(InvalidEventError):
    """Nested deeper than ``Limits.max_depth``."""

    reason = "too_deep"


class NotUtf8Error(InvalidEventError):
    """Bytes that are not UTF-8, or an escaped surrogate without its other half."""

    reason = "not_utf8"


class NotJsonError(InvalidEventError):
    """Not JSON by RFC 8259; NaN and Infinity are not JSON."""

    reason = "not_json"


class DuplicateKeyError(InvalidEventError):
    """An object says one key twice, so readers would disagree about its value."""

    reason = "duplicate_key"


class NumberOutOfRangeError(InvalidEventError):
    """An integer outside signed 64 bits, or a float that no double can hold."""

    reason = "number_out_of_range"


class ForbiddenCharacterError(InvalidEventError):
    """A NUL, which several engines cannot store and some cut a text at."""

    reason = "nul"


class InvalidFieldError(InvalidEventError):
    """A field of the envelope is missing or of the wrong kind; ``where`` names it."""

    reason = "invalid_field"
