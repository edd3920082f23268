"""What the pipeline counts, as Prometheus metrics. Names are constants: here, or in ``headwater.shared.names``."""

from __future__ import annotations

from collections import Counter as Tally
from collections.abc import Mapping
from typing import Final

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest
from prometheus_client.exposition import CONTENT_TYPE_LATEST

from headwater.collector.breaker import BreakerState
from headwater.collector.log_metrics import LogMetrics
from headwater.shared.names import (
    METRIC_EVENTS_DEAD,
    METRIC_EVENTS_RECEIVED,
    METRIC_EVENTS_RETRIED,
    METRIC_EVENTS_SETTLED,
    METRIC_FACET_PROBLEMS,
    METRIC_LOG_LAG,
    METRIC_STORE_UP,
    METRIC_STORE_WRITE_SECONDS,
    METRIC_STORE_WRITES,
)

BATCHES: Final = "headwater_batches_total"
"""Batches settled, by lane (main, retry.1, ...)."""
HELD: Final = "headwater_lane_held"
"""1 while a lane holds its offset because a retry or dead-letter topic cannot be written, by lane."""
PARTITIONS: Final = "headwater_lane_partitions"
"""Partitions of its topic that this process reads at present, by lane; none on a local log, which has no others."""
RESTARTS: Final = "headwater_lane_restarts_total"
"""Times a lane began again at its committed offset after an error that nothing else caught, by lane."""
STORE_EVENTS: Final = "headwater_store_events_total"
"""Events a store took, by store."""
BREAKER_STATE: Final = "headwater_breaker_state"
"""0 closed, 1 half-open, 2 open, by store."""
SETTLE_SECONDS: Final = "headwater_settle_seconds"
"""From the append of a batch's oldest record to its settling, by lane."""

CONTENT_TYPE: Final = CONTENT_TYPE_LATEST
"""Of what ``PipelineMetrics.render`` returns."""

_SECONDS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0)
_LATENCY = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 5.0, 30.0, 300.0, 3600.0)


class PipelineMetrics:
    """The metrics of one pipeline, in a registry of their own: two pipelines in one process do not mix."""

    def __init__(self, registry: CollectorRegistry | None = None) -> None:
        self.registry = registry if registry is not None else CollectorRegistry()
        r = self.registry
        self._received = Counter(METRIC_EVENTS_RECEIVED, "Records read", ("topic",), registry=r)
        self._settled = Counter(METRIC_EVENTS_SETTLED, "Records settled", ("kind", "outcome"), registry=r)
        self._problems = Counter(METRIC_FACET_PROBLEMS, "Unreadable parts of accepted events", registry=r)
        self._dead = Counter(METRIC_EVENTS_DEAD, "Dead letters", ("reason",), registry=r)
        self._retried = Counter(METRIC_EVENTS_RETRIED, "Records sent to a retry topic", ("step",), registry=r)
        self._batches = Counter(BATCHES, "Batches settled", ("lane",), registry=r)
        self._held = Gauge(HELD, "1 while a lane holds its offset", ("lane",), registry=r)
        self._partitions = Gauge(PARTITIONS, "Partitions read", ("lane",), registry=r)
        self._restarts = Counter(RESTARTS, "Lane restarts", ("lane",), registry=r)
        self._writes = Counter(METRIC_STORE_WRITES, "Batches written", ("store", "outcome"), registry=r)
        self._write_s = Histogram(
            METRIC_STORE_WRITE_SECONDS, "Time of one batch", ("store",), buckets=_SECONDS, registry=r
        )
        self._store_events = Counter(STORE_EVENTS, "Events a store took", ("store",), registry=r)
        self._store_up = Gauge(METRIC_STORE_UP, "1 where the breaker is closed", ("store",), registry=r)
        self._breaker = Gauge(BREAKER_STATE, "0 closed, 1 half-open, 2 open", ("store",), registry=r)
        self._lag = Gauge(METRIC_LOG_LAG, "Records not committed yet", ("topic",), registry=r)
        self._settle_s = Histogram(SETTLE_SECONDS, "Append to settled", ("lane",), buckets=_LATENCY, registry=r)
        self.log = LogMetrics(r)
        """Of the log, where that is a local one."""

    def received(self, topic: str, count: int) -> None:
        self._received.labels(topic).inc(count)

    def settled(self, tally: Mapping[tuple[str, str], int]) -> None:
        """Adds records by (kind, outcome). Kind: run, job, dataset, unknown; outcome: see ``Outcome``."""
        for (kind, outcome), count in tally.items():
            self._settled.labels(kind, outcome).inc(count)

    def problems(self, count: int) -> None:
        if count:
            self._problems.inc(count)

    def dead_letters(self, reasons: Tally[str]) -> None:
        for reason, count in reasons.items():
            self._dead.labels(reason).inc(count)

    def retried(self, step: int, count: int) -> None:
        self._retried.labels(str(step)).inc(count)

    def batch(self, lane: str, settle_s: float) -> None:
        self._batches.labels(lane).inc()
        self._settle_s.labels(lane).observe(max(0.0, settle_s))

    def held(self, lane: str, held: bool) -> None:
        self._held.labels(lane).set(int(held))

    def partitions(self, lane: str, count: int) -> None:
        self._partitions.labels(lane).set(count)

    def restarted(self, lane: str) -> None:
        self._restarts.labels(lane).inc()

    def lag(self, topic: str, records: int) -> None:
        self._lag.labels(topic).set(records)

    def store_write(self, store: str, outcome: str, seconds: float, events: int) -> None:
        """One write came back. ``outcome``: ok, transient or permanent."""
        self._writes.labels(store, outcome).inc()
        self._write_s.labels(store).observe(seconds)
        if outcome == "ok":
            self._store_events.labels(store).inc(events)

    def breaker(self, store: str, state: BreakerState) -> None:
        self._breaker.labels(store).set(int(state))
        self._store_up.labels(store).set(int(state is BreakerState.CLOSED))

    def value(self, name: str, **labels: str) -> float:
        """The present value of a sample, 0 if there is none yet."""
        found = self.registry.get_sample_value(name, labels)
        return 0.0 if found is None else found

    def render(self) -> bytes:
        """In Prometheus' text form; the content type is ``CONTENT_TYPE``."""
        return generate_latest(self.registry)
