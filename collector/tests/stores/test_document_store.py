"""The document store on a real server: bytes exact, found again, each event once."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest
from pymongo import AsyncMongoClient
from pymongo.errors import BulkWriteError, OperationFailure
from tests.servers.places import MongoDatabase
from tests.support import hostile
from tests.support.server_stores import DATABASE
from tests.support.worlds import projected

from headwater.collector.stores.document import DocumentLineageStore
from headwater.collector.stores.document.errors import classified, duplicates
from headwater.collector.stores.document.schema import INDEXES, PART_BYTES
from headwater.collector.stores.reading import EventFilter
from headwater.shared.clock import ManualClock
from headwater.shared.errors import ConfigurationError, PermanentError, TransientError
from headwater.shared.event import Name
from headwater.shared.limits import DEFAULT_LIMITS


def event(number: int, **more: Any) -> bytes:
    body = {
        "eventType": "START",
        "eventTime": f"2026-01-01T00:00:{number % 60:02d}Z",
        "producer": "https://example.org/test",
        "schemaURL": "https://openlineage.io/spec/2-0-2/OpenLineage.json#/$defs/RunEvent",
        "run": {"runId": f"00000000-0000-7000-8000-{number:012x}"},
        "job": {"namespace": "jobs", "name": f"job-{number % 3}"},
        "inputs": [{"namespace": "db", "name": f"in-{number % 2}"}],
    }
    return json.dumps(body | more).encode()


async def write(store: DocumentLineageStore, *raw: bytes) -> list[str]:
    batch = [projected(one) for one in raw]
    await store.write(batch)
    return [each.event.event_id for each in batch]


async def test_hostile_names_come_back_byte_for_byte(documents: DocumentLineageStore) -> None:
    raw = [hostile.event(name, number) for number, name in enumerate(hostile.names())]
    ids = await write(documents, *raw)
    reader = documents.document_reader()
    for event_id, one in zip(ids, raw, strict=True):
        found = await reader.document(event_id)
        assert found is not None
        assert found.raw == one
    name = Name("$where", "$where")
    assert [each.raw for each in await reader.list_documents(EventFilter(job=name), 10, 0)] == [
        hostile.event("$where", hostile.names().index("$where"))
    ]
    assert len(await reader.of_dataset(name, 10)) == 1


async def test_an_event_is_found_by_run_job_dataset_kind_and_time(documents: DocumentLineageStore) -> None:
    raw = [event(number) for number in range(12)]
    await write(documents, *raw)
    reader = documents.document_reader()

    async def found(**where: Any) -> list[int]:
        listed = await reader.list_documents(EventFilter(**where), 100, 0)
        assert await reader.count_documents(EventFilter(**where)) == len(listed)
        return [raw.index(each.raw) for each in listed]

    assert await found() == list(range(11, -1, -1))
    assert await found(descending=False) == list(range(12))
    assert await found(run="00000000-0000-7000-8000-000000000005") == [5]
    assert await found(job=Name("jobs", "job-1")) == [10, 7, 4, 1]
    assert await found(since="2026-01-01T00:00:09.000000000Z") == [11, 10, 9]
    assert await found(before="2026-01-01T00:00:02.000000000Z") == [1, 0]
    assert await found(kind="job") == []
    assert [raw.index(each.raw) for each in await reader.of_dataset(Name("db", "in-1"), 3)] == [11, 9, 7]
    page = await reader.list_documents(EventFilter(), 3, 2)
    assert [raw.index(each.raw) for each in page] == [9, 8, 7]
    assert await reader.list_documents(EventFilter(), 0, 0) == []
    assert await reader.document("no such id") is None
    assert await reader.counts() == {"events": 12, "eventsWithProblems": 0}


async def test_events_of_one_time_are_listed_by_arrival(mongo_database: MongoDatabase) -> None:
    clock = ManualClock()
    store = DocumentLineageStore(f"{mongo_database.url}{mongo_database.name}", clock=clock)
    await store.open()
    raw = [event(0, job={"namespace": "jobs", "name": f"j{number}"}) for number in range(9)]
    for at in (6, 0, 3):
        await write(store, *raw[at : at + 3])  # the clock stands still
    await write(store, raw[0])  # again: it keeps its place
    listed = await store.document_reader().list_documents(EventFilter(descending=False), 100, 0)
    assert [raw.index(each.raw) for each in listed] == [6, 7, 8, 0, 1, 2, 3, 4, 5]
    await store.close()


@pytest.mark.parametrize("order", [(0, 1, 2), (2, 1, 0), (1, 0, 2)])
async def test_the_lesser_of_several_spellings_stays(documents: DocumentLineageStore, order: tuple[int, ...]) -> None:
    body = json.loads(event(1))
    spellings = sorted(json.dumps(body, indent=indent).encode() for indent in (None, 1, 4))
    ids = {(await write(documents, spellings[at]))[0] for at in order}
    assert len(ids) == 1
    found = await documents.document_reader().document(ids.pop())
    assert found is not None
    assert found.raw == spellings[0]
    await write(documents, *reversed(spellings))  # in one batch too
    assert await documents.document_reader().counts() == {"events": 1, "eventsWithProblems": 0}


async def test_an_event_as_large_as_the_codec_takes(documents: DocumentLineageStore) -> None:
    room = DEFAULT_LIMITS.max_event_bytes - len(event(1, x="")) - 10
    large, small = event(1, x="x" * room), event(2, x="y" * (PART_BYTES + 1))
    assert len(large) > 16_000_000
    spaced = large.replace(b'{"eventType"', b'{  "eventType"', 1)
    await write(documents, large, small)
    (event_id,) = await write(documents, spaced)  # less, since a space is less than a quote
    found = await documents.document_reader().document(event_id)
    assert found is not None
    assert found.raw == min(large, spaced) == spaced
    await write(documents, large)
    listed = await documents.document_reader().list_documents(EventFilter(descending=False), 10, 0)
    assert [each.raw for each in listed] == [spaced, small]
    client: AsyncMongoClient[dict[str, Any]]
    async with AsyncMongoClient(documents._connection.uri) as client:
        assert await client[DATABASE]["audit_lineage_events_parts"].count_documents({}) == 4, "no part is left over"


async def test_an_event_with_very_many_datasets_fits(documents: DocumentLineageStore) -> None:
    inputs = [{"namespace": "n" * 300, "name": f"{number:01000d}"} for number in range(DEFAULT_LIMITS.max_datasets)]
    raw = event(1, inputs=inputs)
    (event_id,) = await write(documents, raw)
    found = await documents.document_reader().document(event_id)
    assert found is not None
    assert found.raw == raw
    assert len(await documents.document_reader().of_dataset(Name(*inputs[77].values()), 10)) == 1


async def test_problems_are_kept(documents: DocumentLineageStore) -> None:
    (event_id,) = await write(documents, event(1, run={"runId": "00000000-0000-7000-8000-000000000001", "facets": 3}))
    found = await documents.document_reader().document(event_id)
    assert found is not None
    assert found.problems == (("/run/facets", "facets must be an object"),)
    assert await documents.document_reader().counts() == {"events": 1, "eventsWithProblems": 1}


async def test_many_writers_of_the_same_events(documents: DocumentLineageStore) -> None:
    bodies = [json.loads(event(number)) for number in range(40)]
    spellings = [[json.dumps(body, indent=indent).encode() for body in bodies] for indent in (None, 1, 2)]
    await asyncio.gather(*(write(documents, *raw) for raw in spellings))
    listed = await documents.document_reader().list_documents(EventFilter(descending=False), 100, 0)
    assert len(listed) == 40
    for document, some in zip(listed, zip(*spellings, strict=True), strict=True):
        assert document.raw in some
        if await _compares_and_swaps(documents):
            assert document.raw == min(some)
    await write(documents, *(raw for some in spellings for raw in some))
    listed = await documents.document_reader().list_documents(EventFilter(descending=False), 100, 0)
    assert [each.raw for each in listed] == [min(some) for some in zip(*spellings, strict=True)]


async def _compares_and_swaps(documents: DocumentLineageStore) -> bool:
    """MongoDB does; FerretDB's updates look first and write later."""
    return "ferretdbVersion" not in await documents._opened().server_info()


async def test_every_id_is_told_once(documents: DocumentLineageStore) -> None:
    ids = await write(documents, *(event(number) for number in range(30)))
    assert sorted([each async for each in documents.document_reader().event_ids()]) == sorted(ids)


@pytest.mark.parametrize(("code", "kind"), [(10334, PermanentError), (50, TransientError), (None, TransientError)])
def test_an_error_of_a_bulk_write_does_not_repeat_its_documents(code: int | None, kind: type[Exception]) -> None:
    operation = {"_id": "1", "raw": b"do not log" * 1000}
    failures = [
        {"index": 0, "code": 11000, "op": operation},
        {"index": 1, "code": code, "errmsg": "no", "op": operation},
    ]
    with pytest.raises(OperationFailure) as raised:
        duplicates(BulkWriteError({"writeErrors": failures}))
    told = classified(raised.value, "document")
    assert type(told) is kind
    assert "do not log" not in str(told)
    assert duplicates(BulkWriteError({"writeErrors": failures[:1]})) == [0]


async def test_open_makes_the_indexes_and_may_be_repeated(documents: DocumentLineageStore) -> None:
    await documents.open()
    client: AsyncMongoClient[dict[str, Any]]
    async with AsyncMongoClient(documents._connection.uri) as client:
        found = await client[DATABASE]["audit_lineage_events"].index_information()
    assert set(INDEXES) <= found.keys()


async def test_a_store_that_is_down_is_said_so_in_time() -> None:
    store = DocumentLineageStore("mongodb://127.0.0.1:1", deadline_s=1.0)
    with pytest.raises(TransientError):
        await store.open()
    with pytest.raises(TransientError, match="not open"):
        await store.write([projected(event(1))])
    await store.close()


@pytest.mark.parametrize(
    ("options", "key"),
    [
        ({}, "document_connection_name"),
        ({"connection": "http://x"}, "document_connection_name"),
        ({"connection": "mongodb://x", "collection_name": "a$b"}, "collection_name"),
    ],
)
async def test_a_wrong_setting_is_named(options: dict[str, str], key: str) -> None:
    with pytest.raises(ConfigurationError, match=key):
        await DocumentLineageStore(**options).open()  # type: ignore[arg-type]
