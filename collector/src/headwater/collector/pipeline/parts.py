"""What the lanes of one pipeline share."""

from __future__ import annotations

from dataclasses import dataclass
from random import Random

from headwater.collector.metrics import PipelineMetrics
from headwater.collector.pipeline.pace import Pace
from headwater.collector.pipeline.prepare import Preparer
from headwater.collector.pipeline.writing import WritePath
from headwater.collector.policy import BatchPolicy, RetryPolicy
from headwater.collector.sparse import SparseLog
from headwater.collector.topics import Topics
from headwater.shared.clock import Clock
from headwater.shared.log import Log


@dataclass(frozen=True, slots=True)
class Parts:
    """Frozen; the parts themselves have state."""

    log: Log
    topics: Topics
    group: str
    preparer: Preparer
    writes: WritePath
    retry: RetryPolicy
    batches: BatchPolicy
    pace: Pace
    clock: Clock
    metrics: PipelineMetrics
    random: Random
    lines: SparseLog
    """For what an outage would say again and again."""

    def now_ms(self) -> int:
        """Unix time in ms."""
        return int(self.clock.now_s() * 1000)
