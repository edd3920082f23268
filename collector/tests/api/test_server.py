"""A real server in front of the embedded collector, and the real OpenLineage client."""

from __future__ import annotations

import asyncio
import os
import signal
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import httpx
import orjson
import pytest
from openlineage.client import OpenLineageClient
from openlineage.client.event_v2 import InputDataset, Job, OutputDataset, Run, RunEvent, RunState
from openlineage.client.facet_v2 import column_lineage_dataset, error_message_run, parent_run, schema_dataset
from openlineage.client.transport.http import HttpCompression, HttpConfig, HttpTransport

from headwater.collector.api import create_app, serve
from headwater.collector.embedded import Embedded
from headwater.shared.errors import ConfigurationError

PARENT = "0197a3c4-0000-7000-8000-000000000001"
CHILD = "0197a3c4-0000-7000-8000-000000000002"


@asynccontextmanager
async def serving(app, stop: asyncio.Event | None = None) -> AsyncIterator[tuple[str, asyncio.Task[None]]]:
    """The server's address and its task."""
    stop = stop or asyncio.Event()
    address: asyncio.Future[str] = asyncio.get_running_loop().create_future()
    task = asyncio.create_task(serve(app, "127.0.0.1", 0, stop=stop, started=address.set_result))
    await asyncio.wait((task, address), return_when=asyncio.FIRST_COMPLETED)
    try:
        yield await address, task
    finally:
        stop.set()
        await task


@pytest.fixture
async def embedded(tmp_path: Path) -> AsyncIterator[Embedded]:
    async with Embedded(tmp_path / "collector") as made:
        yield made


def emit_with_the_client(url: str, compression: HttpCompression | None) -> None:
    transport = HttpTransport(HttpConfig(url=url, compression=compression))
    client = OpenLineageClient(transport=transport)
    job, producer = Job("jobs", "child"), "https://example.org/test"
    fields = [schema_dataset.SchemaDatasetFacetFields("y", "INT")]
    source = column_lineage_dataset.InputField("db", "a", "x")
    columns = {"y": column_lineage_dataset.Fields(inputFields=[source])}
    output = OutputDataset(
        "db",
        "b/c d",
        facets={
            "schema": schema_dataset.SchemaDatasetFacet(fields),
            "columnLineage": column_lineage_dataset.ColumnLineageDatasetFacet(columns),
        },
    )
    facets = {
        "parent": parent_run.ParentRunFacet(parent_run.Run(PARENT), parent_run.Job("jobs", "parent")),
        "errorMessage": error_message_run.ErrorMessageRunFacet("careful", "PYTHON"),
    }
    for state, time in ((RunState.START, "2026-01-01T00:00:00Z"), (RunState.COMPLETE, "2026-01-01T00:01:00Z")):
        run = Run(CHILD, facets)
        client.emit(
            RunEvent(
                eventType=state,
                eventTime=time,
                run=run,
                job=job,
                producer=producer,
                inputs=[InputDataset("db", "a")],
                outputs=[output],
            )
        )
    client.close()


@pytest.mark.parametrize("compression", [None, HttpCompression.GZIP])
async def test_the_openlineage_client_delivers(embedded, compression):
    async with serving(create_app(embedded)) as (url, _):
        await asyncio.to_thread(emit_with_the_client, url, compression)
        async with httpx.AsyncClient(base_url=url) as client:
            run = (await client.get(f"/api/runs/{CHILD}")).json()
            assert run["state"] == "COMPLETED"
            assert run["parent"]["runId"] == PARENT
            assert run["error"]["message"] == "careful"
            columns = (await client.get("/api/columns/db/b%2Fc%20d/y")).json()
            assert [(each["dataset"]["name"], each["field"]) for each in columns["inputs"]] == [("a", "x")]


async def test_many_clients_read_what_they_wrote(embedded, event):
    async def one(client: httpx.AsyncClient, number: int) -> None:
        for step in range(10):
            body = event(100 * number + step, job=("jobs", f"j{number}"))
            answer = await client.post("/api/v1/lineage", content=orjson.dumps(body))
            assert (answer.status_code, answer.content) == (201, b"")
            found = await client.get(f"/api/v1/jobs/runs/{body['run']['runId']}")
            assert found.json()["state"] == "COMPLETED"

    async with serving(create_app(embedded)) as (url, _), httpx.AsyncClient(base_url=url) as client:
        await asyncio.gather(*(one(client, number) for number in range(8)))
        batch = orjson.dumps([event(10_000 + number) for number in range(1_500)])
        answer = (await client.post("/api/v1/lineage/batch", content=batch)).json()
        assert answer["summary"] | {"successful": 1_500, "failed": 0, "pending": 0} == answer["summary"]
        assert (await client.get("/api/counts")).json()["events"] == 1_580
        assert (await client.get("/readyz")).status_code == 200


async def test_odd_requests_leave_the_server_well(embedded, event):
    async with serving(create_app(embedded)) as (url, _):
        host, port = url.removeprefix("http://").split(":")
        raw = orjson.dumps(event())
        for sent in (
            b"POST /api/v1/lineage HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\n{",
            b"POST /api/v1/lineage HTTP/1.1\r\nHost: x\r\nContent-Length: 99999999\r\n\r\n",
            b"POST /api/v1/lineage HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
            b"nonsense\r\n\r\n",
            b"GET /api/datasets/../x HTTP/1.1\r\nHost: x\r\n\r\n",
        ):
            reader, writer = await asyncio.open_connection(host, int(port))
            writer.write(sent)
            writer.write_eof()
            answer = await reader.read()
            assert not answer.startswith(b"HTTP/1.1 5"), answer
            writer.close()
            await writer.wait_closed()
        async with httpx.AsyncClient(base_url=url) as client:
            assert (await client.post("/api/v1/lineage", content=raw)).status_code == 201


async def test_a_request_under_way_is_answered_before_the_end(tmp_path):
    asked, go_on, stop = asyncio.Event(), asyncio.Event(), asyncio.Event()

    async def app(scope, receive, send):
        asked.set()
        await go_on.wait()
        await send({"type": "http.response.start", "status": 200, "headers": [(b"content-length", b"4")]})
        await send({"type": "http.response.body", "body": b"done"})

    async with serving(app, stop) as (url, _), httpx.AsyncClient(base_url=url) as client:
        answer = asyncio.create_task(client.get("/"))
        await asked.wait()
        stop.set()
        go_on.set()
        assert (await answer).text == "done"


async def test_a_signal_ends_it_and_handlers_are_put_back():
    async def app(scope, receive, send):
        raise AssertionError("nobody asks")

    before = [signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)]
    for number in (signal.SIGTERM, signal.SIGINT):
        async with serving(app) as (_, task):
            os.kill(os.getpid(), number)
            await task
    assert [signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)] == before


async def test_a_port_in_use_and_a_wrong_host_are_told():
    async def app(scope, receive, send):
        raise AssertionError("nobody asks")

    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        with pytest.raises(ConfigurationError, match=f"port = {port}: is in use"):
            await serve(app, "127.0.0.1", port)
    for host, port, named in (("192.0.2.1", 0, "host"), ("no such host", 0, "host"), ("127.0.0.1", 70_000, "port")):
        with pytest.raises(ConfigurationError, match=f"^{named} = "):
            await serve(app, host, port)
