"""Every PromQL expression of the alerts and the dashboard, and every metric that the code shows."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any, NamedTuple

import promql_parser
import yaml
from prometheus_client import CollectorRegistry

from headwater.collector.api.measures import HttpMetrics
from headwater.collector.log_metrics import LogMetrics
from headwater.collector.metrics import PipelineMetrics
from headwater.producer import LineageProducer
from headwater.producer.prometheus import ProducerCollector
from tests.deploy.conftest import CHART

DASHBOARD = json.loads((CHART / "files" / "dashboard.json").read_text())
ALERTS = yaml.safe_load((CHART / "files" / "alerts.yaml").read_text())
RULES: list[dict[str, Any]] = [rule for group in ALERTS["groups"] for rule in group["rules"]]


class Selected(NamedTuple):
    """A series selector in an expression."""

    metric: str
    labels: frozenset[str]


def panels() -> list[dict[str, Any]]:
    return [panel for panel in DASHBOARD["panels"] if panel["type"] != "row"]


def expressions() -> dict[str, str]:
    """By a name for people. Grafana's own variables stand for durations."""
    found = {f"alert {rule['alert']}": rule["expr"] for rule in RULES}
    for panel in panels():
        for target in panel["targets"]:
            text = target["expr"].replace("$__rate_interval", "5m")
            found[f"panel {panel['title']} {target['refId']}"] = text
    return found


def selected(node: Any) -> Iterator[Selected]:
    """What an expression asks for."""
    if isinstance(node, promql_parser.VectorSelector):
        labels = frozenset(matcher.name for matcher in node.matchers.matchers)
        yield Selected(str(node.name), labels)
    for name in ("expr", "lhs", "rhs", "vector_selector", "param"):
        if (child := getattr(node, name, None)) is not None:
            yield from selected(child)
    for argument in getattr(node, "args", ()):
        yield from selected(argument)


def grouped(node: Any) -> Iterator[tuple[frozenset[str], list[Selected]]]:
    """(labels that an aggregation keeps, what it is over)."""
    modifier = getattr(node, "modifier", None)
    if isinstance(node, promql_parser.AggregateExpr) and modifier is not None:
        yield frozenset(modifier.labels), list(selected(node.expr))
    for name in ("expr", "lhs", "rhs"):
        if (child := getattr(node, name, None)) is not None:
            yield from grouped(child)
    for argument in getattr(node, "args", ()):
        yield from grouped(argument)


def shown() -> dict[str, frozenset[str]]:
    """Sample name -> its labels, of every metric that collector, API and producer register."""
    registry = CollectorRegistry()
    PipelineMetrics(registry)
    HttpMetrics(registry)
    registry.register(ProducerCollector(LineageProducer()))
    found: dict[str, frozenset[str]] = {}
    for collector, names in registry._collector_to_names.items():
        labels = frozenset(getattr(collector, "_labelnames", ()))
        for name in names:
            found[name] = labels | ({"le"} if name.endswith("_bucket") else set())
    for family in ProducerCollector(LineageProducer()).collect():
        if labelled := getattr(family, "_labelnames", ()):
            found[f"{family.name}_total"] = frozenset(labelled)
    for size in LogMetrics(CollectorRegistry()).describe():
        found[size.name] = frozenset(size._labelnames)
    return found


FROM_SCRAPING = frozenset({"job", "instance", "namespace", "pod"})
"""Labels that Prometheus adds."""
