"""The store that hands events on over HTTP: to a scripted server, and to headwater's own API."""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import httpx
import pytest
from tests.support import hostile
from tests.support.worlds import projected

from headwater.collector.api import create_app
from headwater.collector.embedded import Embedded
from headwater.collector.settings import ConnectionSettings, Settings
from headwater.collector.stores.openlineage import OpenLineageStore
from headwater.collector.stores.registry import build_store
from headwater.shared.errors import ConfigurationError, PermanentError, TransientError

URL = "http://marquez.example.org:5000"
Answer = Callable[[httpx.Request], httpx.Response]


class Server:
    """Remembers what was sent, unpacked, and answers as told."""

    def __init__(self, answer: Answer) -> None:
        self._answer = answer
        self.requests: list[httpx.Request] = []
        self.bodies: list[bytes] = []

    def __call__(self, request: httpx.Request) -> httpx.Response:
        packed = request.headers.get("Content-Encoding") == "gzip"
        self.requests.append(request)
        self.bodies.append(gzip.decompress(request.content) if packed else request.content)
        return self._answer(request)

    async def store(self, **options: Any) -> OpenLineageStore:
        store = OpenLineageStore(URL, transport=httpx.MockTransport(self), **options)
        await store.open()
        return store


def always(status: int, **more: Any) -> Answer:
    return lambda request: httpx.Response(status, **more)


def no_batch(request: httpx.Request) -> httpx.Response:
    return httpx.Response(404 if request.url.path.endswith("/batch") else 201)


def events(count: int) -> list[bytes]:
    return [hostile.event(f"name {number}", number) for number in range(count)]


async def send(store: OpenLineageStore, *raw: bytes) -> None:
    await store.write([projected(one) for one in raw])


async def test_a_batch_is_one_request_with_the_bytes_as_received() -> None:
    server = Server(always(200, json={"status": "success", "failed_events": []}))
    store = await server.store(api_key="secret")
    raw = events(3)
    await send(store, *raw)
    assert server.bodies == [b"[" + b",".join(raw) + b"]"]
    assert str(server.requests[0].url) == f"{URL}/api/v1/lineage/batch"
    assert server.requests[0].headers["Content-Encoding"] == "gzip"
    assert server.requests[0].headers["Content-Type"] == "application/json"
    assert server.requests[0].headers["Authorization"] == "Bearer secret"
    await send(store, raw[0])
    assert server.bodies[1] == raw[0]
    assert server.requests[1].url.path == "/api/v1/lineage"
    await store.close()


async def test_without_a_batch_endpoint_events_go_one_by_one_and_those_of_a_run_in_order() -> None:
    server = Server(no_batch)
    store = await server.store(compression="none")
    raw = events(20)
    of_one_run = [
        json.dumps(json.loads(raw[7]) | {"eventType": word}).encode() for word in ("START", "RUNNING", "FAIL")
    ]
    await send(store, *raw[:7], *of_one_run, *raw[8:])
    assert len(server.bodies) == 1 + 22
    assert [body for body in server.bodies if body in of_one_run] == of_one_run
    await send(store, *raw[:2])
    assert len(server.bodies) == 1 + 22 + 2, "it is not asked again"
    assert all("Content-Encoding" not in request.headers for request in server.requests)
    await store.close()


async def test_a_server_that_does_not_unpack_gets_it_plain() -> None:
    server = Server(lambda request: httpx.Response(415 if "Content-Encoding" in request.headers else 201))
    store = await server.store()
    large = hostile.event("x" * 4000, 1)
    await send(store, large)
    await send(store, large)
    assert server.bodies == [large] * 3
    await store.close()


@pytest.mark.parametrize(
    ("status", "headers", "kind", "retry_after_s"),
    [
        (400, {}, PermanentError, None),
        (413, {}, PermanentError, None),
        (422, {}, PermanentError, None),
        (401, {}, TransientError, None),
        (408, {}, TransientError, None),
        (429, {"Retry-After": "7"}, TransientError, 7.0),
        (500, {}, TransientError, None),
        (503, {"Retry-After": "120"}, TransientError, 120.0),
        (503, {"Retry-After": "Thu, 01 Jan 1970 00:00:00 GMT"}, TransientError, 0.0),
        (503, {"Retry-After": "soon"}, TransientError, None),
    ],
)
async def test_what_an_answer_means(
    status: int, headers: dict[str, str], kind: type[Exception], retry_after_s: float | None
) -> None:
    store = await Server(always(status, headers=headers, text="because")).store()
    with pytest.raises(kind, match="because") as raised:
        await send(store, *events(1))
    assert getattr(raised.value, "retry_after_s", None) == retry_after_s
    with pytest.raises(kind):
        await send(store, *events(3))
    await store.close()


@pytest.mark.parametrize(("retriable", "kind"), [(True, TransientError), (False, PermanentError)])
async def test_a_batch_that_is_taken_in_part(retriable: bool, kind: type[Exception]) -> None:
    said = {"status": "partial_success", "failed_events": [{"index": 1, "reason": "no", "retriable": retriable}]}
    store = await Server(always(200, json=said)).store()
    with pytest.raises(kind, match="1 of the batch"):
        await send(store, *events(3))
    await store.close()


async def test_a_refusal_among_single_events_is_told_before_a_failure() -> None:
    answers = iter((404, 503, 422, 201))
    store = await Server(lambda request: httpx.Response(next(answers))).store(parallel=1)
    with pytest.raises(PermanentError):
        await send(store, *events(3))
    await store.close()


async def test_a_server_that_is_down() -> None:
    def refuse(request: httpx.Request) -> httpx.Response:
        raise httpx.ConnectError("refused", request=request)

    store = await Server(refuse).store()
    with pytest.raises(TransientError, match="ConnectError"):
        await send(store, *events(2))
    with pytest.raises(TransientError, match="ConnectError"):
        await store.ping()
    await store.close()
    with pytest.raises(TransientError, match="not open"):
        await send(store, *events(1))


@pytest.mark.parametrize(("status", "alive"), [(200, True), (404, True), (405, True), (503, False)])
async def test_ping(status: int, alive: bool) -> None:
    store = await Server(always(status)).store()
    if alive:
        await store.ping()
    else:
        with pytest.raises(TransientError):
            await store.ping()
    await store.close()


async def test_headwater_takes_what_it_sends(tmp_path: Path) -> None:
    async with Embedded(tmp_path) as embedded:
        transport = httpx.ASGITransport(app=create_app(embedded))
        store = OpenLineageStore("http://headwater", transport=transport)
        await store.open()
        await store.ping()
        raw = [hostile.event(name, number) for number, name in enumerate(hostile.names(70))]
        await send(store, *raw)
        await send(store, *raw)
        for one in raw:
            found = await embedded.questions.event(projected(one).event.event_id)
            assert found is not None
            assert found.raw == one
        await store.close()


def test_it_is_built_from_settings(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    options = {"openlineage_connection_name": "marquez"}
    settings = Settings(
        lineage={"store": {"backend": "openlineage", "openlineage": options}},
        connections={"marquez": {"uri": URL, "user": "u", "password": "p", "api_key": "k"}},
    )
    assert isinstance(build_store("openlineage", settings), OpenLineageStore)


@pytest.mark.parametrize("options", [{}, {"url": "kafka://x"}, {"url": URL, "compression": "zip"}])
def test_a_wrong_setting_is_named(options: dict[str, str]) -> None:
    with pytest.raises(ConfigurationError, match=r"lineage\.store\.openlineage"):
        OpenLineageStore(**options)  # type: ignore[arg-type]


def test_a_connection_may_stand_for_the_url() -> None:
    assert OpenLineageStore(connection=ConnectionSettings(uri=URL))._url == f"{URL}/api/v1/lineage"


def away(request: httpx.Request) -> httpx.Response:
    raise httpx.ConnectError("refused")


@pytest.mark.parametrize("answer", [always(503), always(400), away])
async def test_no_error_tells_the_password_in_the_url(answer: Answer) -> None:
    store = OpenLineageStore("http://ann:hunter2@marquez.test", transport=httpx.MockTransport(answer))
    await store.open()
    with pytest.raises((TransientError, PermanentError), match=r"marquez\.test") as failed:
        await send(store, *events(1))
    await store.close()
    assert "hunter2" not in str(failed.value)
