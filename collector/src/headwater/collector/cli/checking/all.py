"""The checks in the order in which they are told."""

from __future__ import annotations

import asyncio

from headwater.shared.names import DEFAULT_TOPIC

from ..running import collector_runs
from ..sources import Target
from . import data, machine, server
from .check import Check


def run_checks(target: Target, host: str, port: int) -> list[Check]:
    """Everything that ``headwater doctor`` looks at. Changes nothing."""
    settings, configuration = data.configuration()
    checks = [configuration]
    if target.api is not None:
        return [*checks, asyncio.run(server.api(target.api))]
    group = settings.lineage.collector.group if settings else "headwater"
    topic = settings.lineage.collector_topic if settings else DEFAULT_TOPIC
    if settings is not None and (url := settings.lineage.url or "").startswith("kafka:"):
        from .kafka import kafka

        return [
            *checks,
            *asyncio.run(kafka(url, settings.lineage)),
            machine.json_engine(),
            *data.stores(settings),
            data.spool(),
            machine.port(host, port, ours=False),
        ]
    running = collector_runs(target.directory)
    checks += [
        machine.directory(target.directory),
        machine.disk(target.directory),
        asyncio.run(data.log(target.directory, group, topic)),
        machine.sqlite(target.directory),
        machine.json_engine(),
        *data.stores(settings),
        data.spool(),
        machine.port(host, port, ours=running),
    ]
    return checks
