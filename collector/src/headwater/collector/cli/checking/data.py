"""Checks of what headwater keeps: configuration, log, stores, the producers' spool."""

from __future__ import annotations

import asyncio
import os
from pathlib import Path
from typing import TYPE_CHECKING

from headwater.shared.errors import ConfigurationError, HeadwaterError, TransientError
from headwater.shared.names import ENV_SPOOL, dead_letter_topic

from ..running import collector_runs, locked
from .check import Check, away, ok, wrong
from .machine import size_text

if TYPE_CHECKING:
    from headwater.collector.settings import Settings
    from headwater.collector.stores.base import LineageStoreProtocol


def configuration() -> tuple[Settings | None, Check]:
    """The settings, if file and environment make sense together."""
    from headwater.collector.settings import Settings

    try:
        settings = Settings()
    except ConfigurationError as error:
        return None, wrong("configuration", f"{error.key} = {error.value!r}", error.remedy)
    file = settings.config_file
    return settings, ok("configuration", f"{file} is sound" if file else "no file; environment and defaults are sound")


def stores(settings: Settings | None) -> list[Check]:
    """Each configured store is installed and takes its options; those that can say how their engine is are asked."""
    if settings is None:
        return []
    from headwater.collector.stores.registry import COMPOSITE, build_store

    backend = settings.lineage.store.backend
    checks = []
    for name in settings.lineage.store.backends if backend == COMPOSITE else (backend,):
        try:
            seen = asyncio.run(_seen_by(build_store(name, settings)))
        except ConfigurationError as error:
            checks.append(wrong(f"store {name}", f"{error.key} = {error.value!r}", error.remedy))
        except TransientError as error:
            checks.append(away(f"store {name}", str(error), "start the server, or mend address, rights and password"))
        else:
            checks.append(ok(f"store {name}", seen))
    return checks or [wrong("store", "composite of nothing", "name stores in lineage.store.backends")]


async def _seen_by(store: LineageStoreProtocol) -> str:
    from headwater.collector.stores.inspecting import Inspectable

    try:
        return await store.inspect() if isinstance(store, Inspectable) else "is installed and configured"
    finally:
        await store.close()


async def log(directory: Path, group: str, topic: str) -> Check:
    """The local log can be read; what waits in it and what was given up."""
    from headwater.collector.deadletters import DeadLetters
    from headwater.shared.log.local import LocalLog
    from headwater.shared.log.segments import SegmentLog

    root = directory / "log"
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
    if waiting and not collector_runs(directory):
        notes.append("`headwater up` collects what waits")
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
