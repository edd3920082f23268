"""The checks in the order in which they are told."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import TYPE_CHECKING

from headwater.shared.names import DEFAULT_TOPIC

from ..running import collector_runs
from ..sources import Target, database_url
from . import data, machine, server
from .check import Check

if TYPE_CHECKING:
    from headwater.collector.settings import Settings


def run_checks(target: Target, host: str, port: int, deadline_s: float) -> list[Check]:
    """Everything that ``headwater doctor`` looks at. Changes nothing. What does not answer within ``deadline_s`` is
    away; log, stores and API have that long each."""
    settings, configuration = data.configuration()
    checks = [configuration]
    if target.api is not None:
        return [*checks, asyncio.run(server.api(target.api, deadline_s))]
    if settings is not None and (url := settings.lineage.url or "").startswith("kafka:"):
        from .kafka import kafka

        return [
            *checks,
            *asyncio.run(kafka(url, settings.lineage, deadline_s)),
            machine.json_engine(),
            *_stores(settings, deadline_s),
            data.spool(),
            machine.port(host, port, ours=False),
        ]
    running = collector_runs(target.directory)
    return [
        *checks,
        machine.directory(target.directory),
        machine.disk(target.directory),
        asyncio.run(_log(settings, target.directory, running)),
        machine.sqlite(target.directory),
        machine.json_engine(),
        *_stores(_in_directory(settings, target.directory), deadline_s),
        data.spool(),
        machine.port(host, port, ours=running),
    ]


def _stores(settings: Settings | None, deadline_s: float) -> list[Check]:
    if settings is None:
        return []
    from .stores import stores

    return asyncio.run(stores(settings, deadline_s))


def _in_directory(settings: Settings | None, directory: Path) -> Settings | None:
    """As ``headwater up`` takes them there."""
    return None if settings is None else settings.with_default_option("sql", "url", database_url(directory))


async def _log(settings: Settings | None, directory: Path, running: bool) -> Check:
    """The log that ``lineage.url`` names, else the directory's."""
    if settings is None:
        return await data.log(directory / "log", "headwater", DEFAULT_TOPIC, collected=running)
    from headwater.collector.logurl import path_of_url

    lineage = settings.lineage
    root = path_of_url(lineage.url or "") or directory / "log"
    return await data.log(root, lineage.collector.group, lineage.collector_topic, collected=running)
