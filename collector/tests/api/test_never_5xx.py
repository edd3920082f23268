"""Whatever is posted or asked, the answer is never a server error."""

from __future__ import annotations

import asyncio
import gzip
import json
from urllib.parse import quote

import httpx
import orjson
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

_EVENT = {
    "eventType": "COMPLETE",
    "eventTime": "2026-01-01T00:00:00Z",
    "producer": "https://example.org/test",
    "run": {"runId": "00000001-0000-4000-8000-000000000000", "facets": {"parent": {"run": {"runId": "x"}}}},
    "job": {"namespace": "jobs", "name": "j", "facets": {"sql": {"query": "select 1"}}},
    "inputs": [{"namespace": "db", "name": "a", "facets": {"schema": {"fields": [{"name": "x", "type": "INT"}]}}}],
    "outputs": [{"namespace": "db", "name": "b", "facets": {}, "outputFacets": {"outputStatistics": {"rowCount": 1}}}],
}
_scalar = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(max_size=20)
    | st.sampled_from(["", "\0", "x" * 5000])
)
_value = st.recursive(
    _scalar,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=8,
)


def _paths(value, at=()):
    yield at
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, item in items:
        yield from _paths(item, (*at, key))


_PATHS = [path for path in _paths(_EVENT) if path]


def _mutated(changes):
    event = orjson.loads(orjson.dumps(_EVENT))
    for path, value in changes:
        target = event
        try:
            for key in path[:-1]:
                target = target[key]
            target[path[-1]] = value
        except (KeyError, IndexError, TypeError):
            continue
    return event


def _dumps(value) -> bytes:
    return json.dumps(value).encode("utf-8", "surrogatepass")


_bodies = st.one_of(
    st.binary(max_size=200),
    _value.map(_dumps),
    st.lists(st.tuples(st.sampled_from(_PATHS), _value), min_size=1, max_size=3).map(_mutated).map(_dumps),
    st.tuples(st.integers(0, 900), st.binary(min_size=1, max_size=3)).map(
        lambda change: orjson.dumps(_EVENT)[: change[0]] + change[1] + orjson.dumps(_EVENT)[change[0] + 1 :]
    ),
)
_quiet = settings(deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


async def _ask(app, method: str, url: str, **more) -> httpx.Response:
    transport = httpx.ASGITransport(app, raise_app_exceptions=True)
    async with httpx.AsyncClient(transport=transport, base_url="http://headwater.test") as client:
        return await client.request(method, url, **more)


async def test_posting(app):
    loop = asyncio.get_running_loop()

    @_quiet
    @given(_bodies, st.sampled_from(["one", "batch", "gzip", "false gzip"]))
    def post(body, how):
        url = "/api/v1/lineage/batch" if how == "batch" else "/api/v1/lineage"
        sent = b"[" + body + b"," + body + b"]" if how == "batch" else gzip.compress(body) if how == "gzip" else body
        headers = {"content-encoding": "gzip"} if "gzip" in how else {}
        asked = _ask(app, "POST", url, content=sent, headers=headers)
        answer = asyncio.run_coroutine_threadsafe(asked, loop).result()
        assert answer.status_code < 500, (answer.status_code, body, answer.text)

    await asyncio.to_thread(post)


_segment = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=12) | st.sampled_from(
    ["..", ".", "a/b", "%2F", "%", "100%", "x#y", "?", "s3://b/p", "日本", "'\"", " ", "\0", "a" * 5000]
)
_query = st.dictionaries(
    st.sampled_from(
        ["nodeId", "depth", "limit", "offset", "generation", "before", "after", "since", "sortDirection", "type",
         "state", "lastRunStates", "namespace", "name", "job", "kind", "status", "max_depth", "up", "down", "runId"]
    ),
    _segment | st.integers().map(str) | st.sampled_from(["-1", "1e9", "2026-01-01", "0000-00-00", "dataset:a:b"]),
    max_size=4,
)  # fmt: skip
_routes = st.sampled_from(
    ["/api/v1/lineage", "/api/v1/events/lineage", "/api/v1/namespaces", "/api/v1/namespaces/{}", "/api/v1/jobs",
     "/api/v1/namespaces/{}/jobs", "/api/v1/namespaces/{}/jobs/{}", "/api/v1/namespaces/{}/jobs/{}/runs",
     "/api/v1/jobs/runs/{}", "/api/v1/jobs/runs/{}/facets", "/api/v1/namespaces/{}/datasets",
     "/api/v1/namespaces/{}/datasets/{}", "/api/v1/namespaces/{}/datasets/{}/versions", "/api/evidence/{}/{}",
     "/api/impact/{}/{}", "/api/upstream/{}/{}", "/api/columns/{}/{}/{}", "/api/logical-runs/{}", "/api/runs",
     "/api/runs/{}", "/api/jobs/{}/{}", "/api/datasets/{}/{}", "/api/lineage/dataset/{}/{}", "/api/lineage/{}/{}/{}",
     "/api/counts", "/api/deadletters", "/healthz", "/readyz", "/metrics", "/{}", "/api/{}"]
)  # fmt: skip


async def test_asking(app, send, event):
    await send(event(1, job=("a", "b"), inputs=[("a", "b")], outputs=[("a", "c")]))
    loop = asyncio.get_running_loop()

    @_quiet
    @given(_routes, st.lists(_segment | st.sampled_from(["a", "b", "c"]), min_size=3, max_size=3), _query)
    def get(route, segments, query):
        url = route.format(*(quote(each, safe="") for each in segments))
        asked = _ask(app, "GET", url, params=query)
        answer = asyncio.run_coroutine_threadsafe(asked, loop).result()
        assert answer.status_code < 500, (answer.status_code, url, query, answer.text)

    await asyncio.to_thread(get)
