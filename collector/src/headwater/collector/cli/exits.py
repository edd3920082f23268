"""How a command ends: every exit status, and the error that carries one.

0    done
1    not found, or refused
2    wrong usage or configuration
3    a server could not be reached
130  interrupted
"""

from __future__ import annotations

DONE, NOT_DONE, WRONG_USAGE, UNREACHABLE, INTERRUPTED = 0, 1, 2, 3, 130


class CommandError(Exception):
    """Ends the command with ``status``. ``remedy`` says what to try and is printed on a line of its own."""

    status = NOT_DONE

    def __init__(self, message: str, remedy: str = "") -> None:
        super().__init__(message)
        self.message, self.remedy = message, remedy


class NotThereError(CommandError):
    """What was asked for is not known."""


class UsageError(CommandError):
    """The command line or the configuration is wrong."""

    status = WRONG_USAGE


class UnreachableError(CommandError):
    """A server did not answer."""

    status = UNREACHABLE


def status_of(error: BaseException) -> tuple[int, str] | None:
    """The exit status and the text for an error that is meant for people; None for a defect, which keeps its
    traceback."""
    from headwater.shared.errors import ConfigurationError, PermanentError, TransientError

    if isinstance(error, CommandError):
        return error.status, f"{error.message}\n  {error.remedy}" if error.remedy else error.message
    if isinstance(error, ConfigurationError):
        return WRONG_USAGE, str(error)
    if isinstance(error, TransientError):
        return UNREACHABLE, str(error)
    if isinstance(error, PermanentError):
        return NOT_DONE, str(error)
    return None
