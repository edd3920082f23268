"""T19: the answers of a real Marquez server, replayed and compared; see ``marquez/`` in HEADWATER_SHARED."""

from __future__ import annotations

import asyncio
import importlib.util
from types import ModuleType

import pytest

from tests.marquez.serving import listening
from tests.support.outside import need
from tests.support.worlds import World


@pytest.mark.filterwarnings("ignore:.*recorded.ndjson")  # the probe leaves the closing of its file to the interpreter
async def test_t19_the_recorded_answers(world: World, capsys):
    probe, recorded = _probe(), str(need("marquez/recorded.ndjson"))
    async with listening(world) as address:
        status = await asyncio.to_thread(probe.compare, address, recorded, False)
    assert status == 0, capsys.readouterr().out


def _probe() -> ModuleType:
    spec = importlib.util.spec_from_file_location("marquez_probe", need("marquez/probe.py"))
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
