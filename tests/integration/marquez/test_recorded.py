"""The answers of a real Marquez 0.51.1, step by step, compared by the probe that recorded them."""

from __future__ import annotations

import asyncio
import contextlib
import importlib.util
import io

import pytest

from tests.support.outside import need


@pytest.mark.filterwarnings("ignore:unclosed file:ResourceWarning")  # the probe leaves them to the interpreter
async def test_every_recorded_answer_is_given_again(url: str) -> None:
    """Steps at which Marquez is wrong are left out by the probe; what is right instead: `test_defects`."""
    recorded = need("marquez/recorded.ndjson")
    spec = importlib.util.spec_from_file_location("marquez_probe", need("marquez/probe.py"))
    assert spec is not None
    assert spec.loader is not None
    probe = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(probe)
    said = io.StringIO()
    with contextlib.redirect_stdout(said):
        failed = await asyncio.to_thread(probe.compare, url, str(recorded), False)
    assert failed == 0, said.getvalue()
