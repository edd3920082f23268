"""Checks of what headwater keeps on this machine: configuration, log, the producers' spool."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from headwater.shared.errors import ConfigurationError, HeadwaterError
from headwater.shared.names import ENV_SPOOL, dead_letter_topic

from ..running import locked
from .check import Check, misconfigured, ok, wrong
from .machine import size_text

if TYPE_CHECKING:
    from headwater.collector.settings import Settings


def configuration() -> tuple[Settings | None, Check]:
    """The settings, if file and environment make sense together."""
    from headwater.collector.settings import Settings

    try:
        settings = Settings()
    except ConfigurationError as error:
        return None, misconfigured("configuration", error)
    file = settings.config_file
    return settings, ok("configuration", f"{file} is sound" if file else "no file; environment and defaults are sound")


async def log(root: Path, group: str, topic: str, *, collected: bool) -> Check:
    """The local log can be read; what waits in it and what was given up. ``collected``: somebody is at it now."""
    from headwater.collector.deadletters import DeadLetters
    from headwater.shared.log.local import LocalLog
    from headwater.shared.log.segments import SegmentLog

    if not (root / topic).is_dir():
        return ok("log", f"no log yet in {root}")
    local = LocalLog(root)
    try:
        await local.open()
        first, following = await local.size(topic)
        waiting = following - max(first, SegmentLog(str(root / topic)).committed(group) or 0)
        letters = await DeadLetters(local, topic).count() if (root / dead_letter_topic(topic)).is_dir() else 0
        size = size_text(local.size_bytes(topic))
    except HeadwaterError as error:
        return wrong("log", str(error), f"make {root} readable and writable for this user")
    finally:
        await local.close()
    seen = f"{following - first} events in {size}, {waiting} not collected yet, {letters} dead letters"
    notes = []
    if waiting and not collected:
        notes.append("`headwater up` collects what waits, or `headwater collect`")
    if letters:
        notes.append("`headwater dlq list` says why they were given up")
    return ok("log", seen, "; ".join(notes))


def spool() -> Check:
    """What producers on this machine have not sent yet. A process that starts again sends what its predecessor left."""
    named = os.environ.get(ENV_SPOOL)
    state = Path(os.environ.get("XDG_STATE_HOME") or Path.home() / ".local" / "state")
    root = Path(named) if named else state / "headwater" / "spool"
    lanes = list(root.glob("*/*.seg" if named else "*/*/*.seg")) if root.is_dir() else []
    if not lanes:
        return ok("spool", f"nothing waits in {root}")
    left = sorted({path.parent for path in lanes if not locked(path.parent / "lock")})
    size = size_text(sum(path.stat().st_size for path in lanes if path.exists()))
    seen = f"{size} in {root}, {len({path.parent for path in lanes})} processes, {len(left)} of them ended"
    return ok("spool", seen, "start the application again: it sends what is left" if left else "")
