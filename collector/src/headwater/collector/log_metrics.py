"""What is measured of a local log: how large it is, and the damage that its readers passed over."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import TYPE_CHECKING

from prometheus_client import CollectorRegistry, Counter
from prometheus_client.core import GaugeMetricFamily
from prometheus_client.registry import Collector

from headwater.shared.errors import HeadwaterError
from headwater.shared.names import METRIC_LOG_BYTES, METRIC_LOG_DAMAGED_BYTES

if TYPE_CHECKING:
    from headwater.shared.log.local import LocalLog


class LogMetrics(Collector):
    """Sizes are looked up whenever metrics are asked for; nothing is told before ``watch``."""

    def __init__(self, registry: CollectorRegistry) -> None:
        self._log: LocalLog | None = None
        self._damage = Counter(
            METRIC_LOG_DAMAGED_BYTES, "Bytes of damage passed over by readers", ("topic",), registry=registry
        )
        registry.register(self)

    def watch(self, log: LocalLog) -> None:
        """Tells the sizes of this log's topics from now on."""
        self._log = log

    def damaged(self, path: str, position: int, length: int) -> None:
        """``OnDamage`` of a local log, whose topics are directories. Each reader that passes over counts."""
        self._damage.labels(os.path.basename(os.path.dirname(path))).inc(length)

    def describe(self) -> Iterator[GaugeMetricFamily]:
        """See ``prometheus_client``: what ``collect`` may tell."""
        yield _sizes()

    def collect(self) -> Iterator[GaugeMetricFamily]:
        """See ``prometheus_client``. A topic that cannot be looked at is left out."""
        sizes = _sizes()
        if self._log is not None:
            for topic in self._log.topics():
                try:
                    sizes.add_metric((topic,), self._log.size_bytes(topic))
                except HeadwaterError:
                    continue  # the pipeline, which cannot read it either, says so in /readyz and the log
        yield sizes


def _sizes() -> GaugeMetricFamily:
    return GaugeMetricFamily(METRIC_LOG_BYTES, "Bytes of the local log's segments", labels=("topic",))
