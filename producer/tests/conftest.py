"""Every test runs with an environment of its own, a spool of its own, and a guard that lets our errors out."""

from __future__ import annotations

import os
import subprocess
import sys
import textwrap
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from headwater.producer import LineageProducer
from headwater.producer._default import DEFAULT
from headwater.producer.testing import MemoryTransport, raise_internal_errors

SOURCES = [str(Path(__file__).parents[2] / wheel / "src") for wheel in ("shared", "producer")]


@pytest.fixture(autouse=True)
def clean_environment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    for name in list(os.environ):
        if name.startswith(("HEADWATER_", "OPENLINEAGE")):
            monkeypatch.delenv(name)
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    monkeypatch.chdir(tmp_path)
    with raise_internal_errors():
        yield
        DEFAULT.forget()


@pytest.fixture
def spool(tmp_path: Path) -> Path:
    return tmp_path / "spool"


@pytest.fixture
def make_producer(spool: Path) -> Iterator[Callable[..., LineageProducer]]:
    """Producers over the test's spool, with a memory transport unless told otherwise; shut down at the end."""
    made: list[LineageProducer] = []

    def make(transport: Any = None, **settings: Any) -> LineageProducer:
        if "url" not in settings:
            transport = transport or MemoryTransport()
        producer = LineageProducer(transport=transport, **{"spool_dir": spool, **settings})
        made.append(producer)
        return producer

    yield make
    for producer in made:
        producer.forget()


@pytest.fixture
def python(tmp_path: Path) -> Callable[..., subprocess.CompletedProcess[str]]:
    """Runs a script in a process of its own, with the test's environment."""

    def run(script: str, *args: str, check: bool = True, **env: str) -> subprocess.CompletedProcess[str]:
        done = subprocess.run(
            [sys.executable, "-c", textwrap.dedent(script), *args],
            env=script_environment(**env),
            capture_output=True,
            text=True,
            timeout=60,
            cwd=tmp_path,
        )
        if check:
            assert done.returncode == 0, done.stderr
        return done

    return run


def script_environment(**more: str) -> dict[str, str]:
    path = os.pathsep.join([*SOURCES, os.environ.get("PYTHONPATH", "")]).rstrip(os.pathsep)
    return {**os.environ, "PYTHONPATH": path, "HEADWATER_RAISE": "1", **more}


@pytest.fixture
def environment() -> Callable[..., dict[str, str]]:
    return script_environment
