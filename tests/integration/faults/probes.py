"""What a worker says about itself, and the command line beside it."""

from __future__ import annotations

import json
import subprocess
import sys
import urllib.error
import urllib.request
from typing import Any

from prometheus_client.parser import text_string_to_metric_families

from tests.integration.faults.cluster import Cluster
from tests.support.collector import clean_environment
from tests.support.workers import Worker

STORE_EVENTS = "headwater_store_events_total"


def operations(worker: Worker) -> str:
    """The address that it logged last."""
    worker.await_collecting()
    lines = [line for line in worker.errors.read_text().splitlines() if '"event": "collecting"' in line]
    address: str = json.loads(lines[-1])["operations"]
    return address


def not_ready(worker: Worker) -> dict[str, str]:
    """The checks of /readyz that are not ok; empty where it is ready."""
    try:
        with urllib.request.urlopen(f"{operations(worker)}/readyz", timeout=30) as answer:
            told = json.load(answer)
    except urllib.error.HTTPError as error:
        if error.code != 503:
            raise
        told = json.load(error)
    return {check: word for check, word in told["checks"].items() if word != "ok"}


def metric(worker: Worker, name: str, **labels: str) -> float:
    """The sum over the samples that have these labels."""
    with urllib.request.urlopen(f"{operations(worker)}/metrics", timeout=30) as answer:
        families = text_string_to_metric_families(answer.read().decode())
    samples = [sample for family in families for sample in family.samples if sample.name == name]
    return sum(sample.value for sample in samples if labels.items() <= sample.labels.items())


def states(worker: Worker) -> str:
    """For people, when a test fails: what is not ready, and the metrics of lanes, log and breakers."""
    try:
        checks = not_ready(worker)
        with urllib.request.urlopen(f"{operations(worker)}/metrics", timeout=30) as answer:
            lines = answer.read().decode().splitlines()
    except OSError as error:
        return f"does not answer: {error}"
    shown = ("headwater_lane_", "headwater_log_lag", "headwater_breaker_state", "headwater_events_received_total")
    return f"not ready: {checks}; " + ", ".join(line for line in lines if line.startswith(shown))


def headwater(cluster: Cluster, *arguments: str, status: int = 0) -> Any:
    """The JSON that a command prints, with the cluster's configuration."""
    command = [sys.executable, "-m", "headwater.collector.cli", *arguments, "--json"]
    environment = clean_environment(HEADWATER_URL=cluster.url)
    done = subprocess.run(command, capture_output=True, cwd=cluster.directory, env=environment, timeout=3600)
    assert done.returncode == status, f"{arguments}: {done.returncode}\n{done.stdout.decode()}\n{done.stderr.decode()}"
    return json.loads(done.stdout)
