"""``LineageCollectorService``: single events through the same write path."""

from __future__ import annotations

import json
import subprocess
import sys
from types import SimpleNamespace
from typing import Any

import pytest

from headwater.collector import LineageCollectorService, LineageManager
from headwater.collector.pipeline import ManualPace
from headwater.collector.settings import Settings
from headwater.collector.stores.composite import SomeStoresFailedError, SomeStoresRefusedError
from headwater.shared.clock import ManualClock
from headwater.shared.codec import decode
from headwater.shared.errors import InvalidEventError, TransientError


@pytest.fixture
async def served(scripted: Any) -> Any:
    store, clock = scripted(), ManualClock()
    manager = LineageManager(Settings(), store=store, clock=clock)
    async with LineageCollectorService(manager, pace=ManualPace(clock)) as service:
        yield service, store


async def test_every_form_of_an_event(served: Any, good: Any) -> None:
    service, store = served
    event = decode(good(1))
    assert await service.handle_lineage_event(event) == event
    assert (await service.handle_lineage_event(json.loads(good(2)), topic="x", partition=3)).job.name == "job-2"
    assert (await service.handle_lineage_event(good(3))).raw == good(3)
    assert (await service.handle_lineage_event(good(4).decode())).raw == good(4)
    assert len(store.documents) == 4
    assert service.manager.get_store() is store


async def test_the_raw_message_is_what_is_kept(served: Any, good: Any) -> None:
    service, store = served
    spelled = json.dumps(json.loads(good(1)), indent=3).encode()
    for message in (spelled, spelled.decode(), SimpleNamespace(value=spelled), SimpleNamespace(value=lambda: spelled)):
        stored = await service.handle_lineage_event(json.loads(good(1)), message)
        assert stored.raw == spelled
    assert list(store.documents.values()) == [spelled]


async def test_failures_are_tried_again_and_then_said(served: Any, good: Any) -> None:
    service, store = served
    store.script.extend([TransientError("down")] * 2)
    await service.handle_lineage_event(good(1))
    assert store.calls == [1, 1, 1]
    store.script.extend([TransientError("down")] * 3)
    with pytest.raises(SomeStoresFailedError, match="scripted: down"):
        await service.handle_lineage_event(good(2))
    await service.handle_lineage_event(good(2))
    store.refuses = lambda item: True
    with pytest.raises(SomeStoresRefusedError, match="scripted: refused"):
        await service.handle_lineage_event(good(3))


async def test_what_is_no_event_is_refused(served: Any) -> None:
    service, _ = served
    for bad in ({"a": 1}, b"{", 3):
        with pytest.raises(InvalidEventError):
            await service.handle_lineage_event(bad)


async def test_it_has_an_explicit_start_and_stop(scripted: Any, good: Any) -> None:
    service = LineageCollectorService(LineageManager(Settings(), store=scripted()))
    with pytest.raises(RuntimeError, match="not started"):
        await service.handle_lineage_event(good(1))
    await service.start()
    await service.start()
    await service.handle_lineage_event(good(1))
    await service.stop()
    await service.stop()


def test_the_package_is_quick_to_import_and_says_its_names() -> None:
    code = (
        "import sys, headwater.collector as c, headwater.collector.stores as s;"
        "assert not {'sqlalchemy', 'pydantic'} & set(sys.modules);"
        "[getattr(m, n) for m in (c, s) for n in m.__all__]"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
