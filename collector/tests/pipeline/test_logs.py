"""Logging never breaks what it tells of."""

from __future__ import annotations

import io
import sys
from collections.abc import Iterator

import pytest
import structlog

from headwater.collector.logs import configure_logs


@pytest.fixture(autouse=True)
def _put_back() -> Iterator[None]:
    yield
    structlog.reset_defaults()


class FullPipe(io.StringIO):
    def write(self, text: str) -> int:
        raise BrokenPipeError


@pytest.mark.parametrize("stream", [FullPipe(), None])
def test_a_stream_that_takes_nothing_costs_the_line_alone(
    stream: io.StringIO | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    closed = io.StringIO()
    monkeypatch.setattr(sys, "stderr", closed)
    configure_logs(stream=stream)
    closed.close()
    structlog.get_logger("headwater").error("lane_restarts")


def test_standard_error_is_the_one_of_the_time(capsys: pytest.CaptureFixture[str]) -> None:
    configure_logs()
    structlog.get_logger("headwater").warning("told", password="secret")
    line = capsys.readouterr().err
    assert '"event": "told"' in line
    assert "secret" not in line
