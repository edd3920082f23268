"""The producer's accounts as Prometheus metrics. Needs prometheus-client (extra ``prometheus``).

from headwater.producer.prometheus import register

register()  # beside the application's own metrics, wherever it serves them
"""

from __future__ import annotations

from collections.abc import Iterator

from prometheus_client import REGISTRY, CollectorRegistry
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric
from prometheus_client.registry import Collector

from headwater.shared.names import (
    METRIC_PRODUCER_DELIVERED,
    METRIC_PRODUCER_DROPPED,
    METRIC_PRODUCER_EMITTED,
    METRIC_PRODUCER_SPOOLED,
)

from ._default import DEFAULT
from ._producer import LineageProducer


class ProducerCollector(Collector):
    """Reads ``stats()`` when it is asked, and counts nothing itself. Of this process: spools of others are theirs."""

    def __init__(self, producer: LineageProducer = DEFAULT) -> None:
        self._producer = producer

    def describe(self) -> Iterator[Metric]:
        """The names: a registry asks for them to refuse a second one."""
        return self.collect()

    def collect(self) -> Iterator[Metric]:
        """emitted = delivered + spooled + dropped."""
        stats = self._producer.stats()
        yield CounterMetricFamily(METRIC_PRODUCER_EMITTED, "Events given to emit", stats.emitted)
        yield CounterMetricFamily(METRIC_PRODUCER_DELIVERED, "Events that the transport took", stats.delivered)
        yield GaugeMetricFamily(METRIC_PRODUCER_SPOOLED, "Events that wait on disk", stats.spooled)
        dropped = CounterMetricFamily(METRIC_PRODUCER_DROPPED, "Events given up", labels=("reason",))
        for reason, count in stats.dropped.items():
            dropped.add_metric((reason,), count)
        yield dropped


def register(registry: CollectorRegistry = REGISTRY, producer: LineageProducer = DEFAULT) -> ProducerCollector:
    """Adds the metrics to the registry. Raises ValueError if they are there already."""
    collector = ProducerCollector(producer)
    registry.register(collector)
    return collector
