"""How long a command may take from SIGTERM to its end, by its own words."""

from __future__ import annotations

from collections.abc import Sequence

from headwater.collector.cli.commands.collect import _PROBES_S
from headwater.collector.cli.starting import _CLOSING_S


def allowed_s(command: Sequence[str]) -> float:
    """Its ``--deadline``."""
    return float(command[list(command).index("--deadline") + 1])


def taken_s(command: Sequence[str]) -> float:
    """At most: see ``run_until_complete``, and what each command passes to it."""
    deadline_s = allowed_s(command)
    draining = {"collect": _PROBES_S + deadline_s, "serve": deadline_s, "up": 2 * deadline_s}
    return draining[command[0]] + _CLOSING_S
