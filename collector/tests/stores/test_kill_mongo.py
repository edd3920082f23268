"""What the document store returned survives the server's SIGKILL; a server that is down or hangs is said so in time."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from tests.support import hostile
from tests.support.worlds import projected

from headwater.collector.stores.document import DocumentLineageStore
from headwater.shared.errors import TransientError

BATCH = [projected(hostile.event(f"kill {number}", number)) for number in range(50)]


async def test_what_was_returned_survives_a_kill(own_server: Any) -> None:
    server = own_server("mongo")
    store = DocumentLineageStore(f"{server.url}killed", deadline_s=3.0)
    await store.open()
    await store.write(BATCH)
    await asyncio.to_thread(server.kill)
    for call in (store.ping(), store.write(BATCH), store.document_reader().counts()):
        with pytest.raises(TransientError):
            await call
    await asyncio.to_thread(server.start)
    for each in BATCH:
        found = await store.document_reader().document(each.event.event_id)
        assert found is not None
        assert found.raw == each.event.raw
    await store.write(BATCH)
    assert (await store.document_reader().counts())["events"] == len(BATCH)
    await store.close()


async def test_a_server_that_hangs_is_said_so_in_time(own_server: Any) -> None:
    server = own_server("mongo")
    patient = DocumentLineageStore(f"{server.url}hangs")
    await patient.open()  # makes what takes longer than the deadline
    await patient.close()
    store = DocumentLineageStore(f"{server.url}hangs", deadline_s=4.0)
    await store.open()
    server.pause()
    for call in (store.ping(), store.write(BATCH)):
        with pytest.raises(TransientError):
            await call
    server.resume()
    await store.close()
