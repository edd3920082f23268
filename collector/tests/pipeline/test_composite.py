"""Several stores as one."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from headwater.collector.breaker import BreakerPolicy, BreakerState
from headwater.collector.projection import project
from headwater.collector.stores import CompositeLineageStore, LineageStoreProtocol, MemoryLineageStore, ProjectedEvent
from headwater.collector.stores.composite import SomeStoresFailedError, SomeStoresRefusedError
from headwater.shared.clock import ManualClock
from headwater.shared.codec import decode
from headwater.shared.errors import ConfigurationError, PermanentError, TransientError


def _item(raw: bytes) -> ProjectedEvent:
    event = decode(raw)
    return ProjectedEvent(event, project(event))


async def test_every_member_gets_the_batch(good: Any) -> None:
    a, b = MemoryLineageStore(name="a"), MemoryLineageStore(name="b")
    composite = CompositeLineageStore([a, b])
    assert isinstance(composite, LineageStoreProtocol)
    await composite.open()
    await composite.write([_item(good(1))])
    await composite.ping()
    await composite.close()
    assert a.documents == b.documents
    assert a.facts == b.facts


async def test_a_partial_failure_is_said_and_the_others_have_it(good: Any, scripted: Any) -> None:
    stores = [scripted(name) for name in ("well", "ill", "picky")]
    stores[1].down = True
    stores[2].refuses = lambda item: True
    composite = CompositeLineageStore(stores)
    outcomes = await composite.write_outcomes([_item(good(1))])
    assert outcomes["well"] is None
    assert isinstance(outcomes["ill"], TransientError)
    assert isinstance(outcomes["picky"], PermanentError)
    with pytest.raises(SomeStoresFailedError, match="ill: down; picky: refused") as caught:
        await composite.write([_item(good(1))])
    assert set(caught.value.outcomes) == {"well", "ill", "picky"}
    stores[1].down = False
    with pytest.raises(SomeStoresRefusedError, match="picky"):
        await composite.write([_item(good(1))])
    assert len(stores[0].documents) == 1
    stores[1].down = True
    with pytest.raises(TransientError, match="ill"):
        await composite.ping()


async def test_only_the_named_members_are_written(good: Any, scripted: Any) -> None:
    a, b = scripted("a"), scripted("b")
    composite = CompositeLineageStore([a, b])
    assert await composite.write_outcomes([_item(good(1))], only=["b"]) == {"b": None}
    assert (a.calls, b.calls) == ([], [1])


async def test_a_late_member_is_a_failure_of_its_own(good: Any, scripted: Any) -> None:
    class Slow(scripted):  # type: ignore[misc]
        async def write(self, batch: Any) -> None:
            await asyncio.sleep(3600)

    well = scripted("well")
    composite = CompositeLineageStore([well, Slow("slow")], deadline_s=0.02)
    outcomes = await composite.write_outcomes([_item(good(1))])
    assert outcomes["well"] is None
    assert "slow did not answer within 0.02 s" in str(outcomes["slow"])


async def test_an_open_breaker_spares_the_store_and_a_probe_brings_it_back(good: Any, scripted: Any) -> None:
    clock, store = ManualClock(), scripted("s")
    composite = CompositeLineageStore([store], clock=clock, breaker=BreakerPolicy(failures=2, open_s=4.0))
    await composite.open()
    store.down = True
    for _ in range(5):
        assert (await composite.write_outcomes([_item(good(1))]))["s"] is not None
    assert len(store.calls) == 2
    assert composite.down() == {"s": "down"}
    assert await composite.probe() == 4.0
    clock.advance(4.0)
    assert await composite.probe() == 8.0
    clock.advance(8.0)
    store.down = False
    assert await composite.probe() == 0.0
    assert composite.members["s"].breaker.state is BreakerState.CLOSED
    assert (await composite.write_outcomes([_item(good(1))]))["s"] is None
    assert composite.down() == {}


def test_two_members_of_one_name_are_refused() -> None:
    with pytest.raises(ConfigurationError, match="each only once"):
        CompositeLineageStore([MemoryLineageStore(), MemoryLineageStore()])
    with pytest.raises(ConfigurationError, match="at least one"):
        CompositeLineageStore([])
