"""The pipeline that the settings describe."""

from __future__ import annotations

from headwater.collector.manager import LineageManager
from headwater.collector.pipeline import Pipeline
from headwater.collector.topics import Topics
from headwater.shared.clock import Clock
from headwater.shared.log import Log


def configured_pipeline(log: Log, manager: LineageManager, topics: Topics, clock: Clock) -> Pipeline:
    """From the log to the manager's stores, as ``[lineage.collector]`` of its settings says, counted in its metrics.
    Not started yet."""
    collector = manager.settings.lineage.collector
    return Pipeline(
        log,
        manager.stores,
        topics=topics,
        group=collector.group,
        retry=collector.retry.policy(),
        batches=collector.batches(),
        clock=clock,
        metrics=manager.metrics,
    )
