"""Dashboard and alerts: every expression parses, and names metrics and labels that the code has."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import promql_parser
import pytest

from tests.deploy.conftest import CHART, Tool
from tests.deploy.monitoring import (
    DASHBOARD,
    FROM_SCRAPING,
    RULES,
    expressions,
    grouped,
    panels,
    selected,
    shown,
)
from tests.support.outside import ROOT

SHOWN = shown()
UNIT_TESTS = Path(__file__).parent / "alerts.test.yaml"


@pytest.mark.parametrize("name", expressions())
def test_an_expression_parses_and_names_what_is_there(name: str) -> None:
    tree = promql_parser.parse(expressions()[name])
    asked = list(selected(tree))
    assert asked, "asks for nothing"
    for metric, labels in asked:
        assert metric in SHOWN, f"no metric {metric}"
        assert labels <= SHOWN[metric] | FROM_SCRAPING, f"{metric} has no label {labels - SHOWN[metric]}"
    for kept, over in grouped(tree):
        for metric, _ in over:
            assert kept <= SHOWN[metric] | FROM_SCRAPING, f"{metric} has no label {kept - SHOWN[metric]}"


def test_the_check_would_see_a_wrong_name() -> None:
    [wrong] = selected(promql_parser.parse("sum by (x) (rate(headwater_log_lag[5m])) > 1"))
    assert wrong.metric == "headwater_log_lag"
    assert wrong.metric not in SHOWN
    [(kept, _)] = grouped(promql_parser.parse("1 - max by (shop) (headwater_log_lag_records)"))
    assert kept == {"shop"}
    assert {"headwater_log_lag_records", "headwater_settle_seconds_bucket", "headwater_producer_spooled"} <= set(SHOWN)


def test_texts_use_labels_that_the_alert_has() -> None:
    for rule in RULES:
        kept = {label for labels, _ in grouped(promql_parser.parse(rule["expr"])) for label in labels}
        asked = {label for _, labels in selected(promql_parser.parse(rule["expr"])) for label in labels}
        metrics = {metric for metric, _ in selected(promql_parser.parse(rule["expr"]))}
        whole = set() if kept else {label for metric in metrics for label in SHOWN[metric]} | FROM_SCRAPING
        used = set(re.findall(r"\$labels\.(\w+)", str(rule["annotations"])))
        assert used <= kept | asked | whole, rule["alert"]
        assert rule["labels"]["severity"] in ("warning", "critical")
        assert set(rule["annotations"]) == {"summary", "description"}


def test_what_was_promised_is_watched() -> None:
    metrics = {metric for rule in RULES for metric, _ in selected(promql_parser.parse(rule["expr"]))}
    promised = {
        "headwater_log_lag_records", "headwater_settle_seconds_bucket", "headwater_events_dead_total",
        "headwater_breaker_state", "headwater_producer_spooled",
    }  # fmt: skip
    on_dashboard = {metric for text in expressions().values() for metric, _ in selected(promql_parser.parse(text))}
    assert promised <= metrics
    assert promised <= on_dashboard
    stored = {name for name in SHOWN if not name.endswith(("_created", "_sum", "_count", "_bucket"))}
    histograms = {"headwater_settle_seconds", "headwater_store_write_seconds", "headwater_http_request_seconds"}
    plain = {name for name in stored - histograms if f"{name}_total" not in SHOWN}
    assert plain <= on_dashboard, "a metric that nobody looks at"


def test_the_dashboard_is_whole() -> None:
    assert DASHBOARD["schemaVersion"] >= 39
    numbers = [panel["id"] for panel in DASHBOARD["panels"]]
    assert len(set(numbers)) == len(numbers)
    taken: set[tuple[int, int]] = set()
    for panel in DASHBOARD["panels"]:
        place = panel["gridPos"]
        cells = {
            (x, y)
            for x in range(place["x"], place["x"] + place["w"])
            for y in range(place["y"], place["y"] + place["h"])
        }
        assert not cells & taken, f"{panel['title']} covers another panel"
        assert max(x for x, _ in cells) < 24
        taken |= cells
    for panel in panels():
        assert panel["datasource"]["uid"] == "${datasource}"
        for target in panel["targets"]:
            used = set(re.findall(r"{{(\w+)}}", target["legendFormat"]))
            tree = promql_parser.parse(target["expr"].replace("$__rate_interval", "5m"))
            kept = {label for labels, _ in grouped(tree) for label in labels} or FROM_SCRAPING
            assert used <= kept, f"{panel['title']}: {used}"


def test_promtool_takes_the_rules(promtool: Tool) -> None:
    assert f"{len(RULES)} rules found" in promtool("check", "rules", CHART / "files" / "alerts.yaml").stdout


def test_each_alert_fires_and_keeps_still(promtool: Tool, tmp_path: Path) -> None:
    for file in (CHART / "files" / "alerts.yaml", UNIT_TESTS):
        shutil.copy(file, tmp_path)
    promtool("test", "rules", UNIT_TESTS.name, where=tmp_path)
    tested = UNIT_TESTS.read_text()
    for rule in RULES:
        fires = re.search(rf"alertname: {rule['alert']}\n\s+exp_alerts:\n\s+- exp_labels", tested)
        assert fires, f"{rule['alert']} is never seen to fire"
        assert f"alertname: {rule['alert']}, exp_alerts: []" in tested, f"{rule['alert']} is never seen to keep still"


def test_promtool_would_see_an_alert_that_never_fires(promtool: Tool, tmp_path: Path) -> None:
    text = (CHART / "files" / "alerts.yaml").read_text()
    assert "headwater_lane_held) == 1" in text
    (tmp_path / "alerts.yaml").write_text(text.replace("headwater_lane_held) == 1", "headwater_lane_held) == 2"))
    shutil.copy(UNIT_TESTS, tmp_path)
    assert promtool("test", "rules", UNIT_TESTS.name, where=tmp_path, check=False).returncode != 0


def test_the_docs_name_metrics_that_are_there() -> None:
    text = (ROOT / "docs" / "operations.md").read_text()
    families = {re.sub(r"_(bucket|count|sum|total|created)$", "", name) for name in SHOWN}
    for name in re.findall(r"\bheadwater_[a-z_]+", text):
        if not name.endswith("_"):
            assert re.sub(r"_(bucket|count|sum|total|created)$", "", name) in families, name
