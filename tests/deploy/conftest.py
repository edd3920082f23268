"""The tools, and the chart as they render it."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.deploy.tools import tool
from tests.servers.errors import ServerMissing
from tests.support.outside import ROOT
from tests.support.seeds import IN_CI

CHART = ROOT / "deploy" / "helm" / "headwater"
Tool = Callable[..., "subprocess.CompletedProcess[str]"]


def _runner(program: str) -> Tool:
    try:
        path = tool(program, build=IN_CI)
    except ServerMissing as missing:
        if IN_CI:
            pytest.fail(str(missing), pytrace=False)
        pytest.skip(str(missing))

    def run(*arguments: object, where: Path = ROOT, check: bool = True, **variables: str) -> Any:
        kept = {key: value for key, value in os.environ.items() if not key.startswith(("HEADWATER_", "COMPOSE_"))}
        done = subprocess.run(
            [path, *map(str, arguments)],
            cwd=where, env=kept | variables, capture_output=True, text=True, check=False, timeout=300,
        )  # fmt: skip
        assert not check or done.returncode == 0, done.stderr + done.stdout
        return done

    return run


@pytest.fixture(scope="session")
def helm() -> Tool:
    return _runner("helm")


@pytest.fixture(scope="session")
def compose() -> Tool:
    return _runner("compose")


@pytest.fixture(scope="session")
def promtool() -> Tool:
    return _runner("promtool")


@pytest.fixture(scope="session")
def render(helm: Tool, tmp_path_factory: pytest.TempPathFactory) -> Callable[..., list[dict[str, Any]]]:
    """``render(values)``: the chart's documents with these values over its own."""

    def rendered(values: dict[str, Any] | None = None, kube_version: str = "1.34.0") -> list[dict[str, Any]]:
        file = tmp_path_factory.mktemp("values") / "values.yaml"
        file.write_text(yaml.safe_dump(values or {}))
        done = helm("template", "r", CHART, "--values", file, "--kube-version", kube_version)
        return [document for document in yaml.safe_load_all(done.stdout) if document]

    return rendered
