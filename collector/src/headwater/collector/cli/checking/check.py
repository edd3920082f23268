"""One line of ``headwater doctor``."""

from __future__ import annotations

from enum import Enum
from typing import Any, NamedTuple

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

    def as_json(self) -> dict[str, Any]:
        """Stable keys."""
        return {
            "check": self.name,
            "ok": self.verdict is Verdict.OK,
            "verdict": self.verdict.name.lower(),
            "seen": self.seen,
            "remedy": self.remedy or None,
        }


def ok(name: str, seen: str, note: str = "") -> Check:
    """All is well; ``note`` is advice, not a fault."""
    return Check(name, Verdict.OK, seen, note)


def wrong(name: str, seen: str, remedy: str) -> Check:
    """A setting or a file is not as it must be."""
    return Check(name, Verdict.WRONG, seen, remedy)


def away(name: str, seen: str, remedy: str) -> Check:
    """A server, or a resource of this machine, is not there now."""
    return Check(name, Verdict.AWAY, seen, remedy)
