"""One line of ``headwater doctor``."""

from __future__ import annotations

from enum import Enum
from typing import Any, NamedTuple

from headwater.shared.errors import ConfigurationError

from ..exits import DONE, UNREACHABLE, WRONG_USAGE


class Verdict(Enum):
    """How a check ended; its value is the exit status that it asks for."""

    OK = DONE
    WRONG = WRONG_USAGE
    AWAY = UNREACHABLE


class Check(NamedTuple):
    """What was looked at, what was seen and, where that is not well, what to do."""

    name: str
    verdict: Verdict
    seen: str
    remedy: str = ""
    key: str | None = None
    """The setting to look at, where one is at fault or names what is away."""
    value: Any = None
    """Its value, no secret in it."""

    def as_json(self) -> dict[str, Any]:
        """Stable keys."""
        return {
            "check": self.name,
            "ok": self.verdict is Verdict.OK,
            "verdict": self.verdict.name.lower(),
            "seen": self.seen,
            "remedy": self.remedy or None,
            "key": self.key,
            "value": self.value,
        }


def ok(name: str, seen: str, note: str = "") -> Check:
    """All is well; ``note`` is advice, not a fault."""
    return Check(name, Verdict.OK, seen, note)


def wrong(name: str, seen: str, remedy: str) -> Check:
    """A setting or a file is not as it must be."""
    return Check(name, Verdict.WRONG, seen, remedy)


def misconfigured(name: str, error: ConfigurationError) -> Check:
    """A setting is wrong, as the error says."""
    return Check(name, Verdict.WRONG, f"{error.key} = {error.value!r}", error.remedy, error.key, error.value)


def away(name: str, seen: str, remedy: str, *, key: str | None = None, value: Any = None) -> Check:
    """A server, or a resource of this machine, is not there now."""
    return Check(name, Verdict.AWAY, seen, remedy, key, value)
