"""Health, metrics, dead letters, and the pages for people."""

from __future__ import annotations

import re

import httpx
import pytest

from headwater.collector.api import Readiness
from headwater.shared.errors import TransientError
from headwater.shared.log import Record


async def test_health_and_readiness(client, direct):
    assert (await client.get("/healthz")).json() == {"status": "ok"}
    assert (await client.get("/readyz")).json() == {"status": "ready", "checks": {"pipeline": "ok"}}
    direct.ready = Readiness(False, {"pipeline": "paused", "sql": "cannot be reached"})
    answer = await client.get("/readyz")
    assert answer.status_code == 503
    assert answer.headers["retry-after"]
    assert answer.json()["checks"]["sql"] == "cannot be reached"
    assert (await client.get("/healthz")).status_code == 200


async def test_a_store_that_cannot_be_read_is_503(client, direct):
    class Gone:
        async def counts(self):
            raise TransientError("the store is gone")

    direct.questions.reader = Gone()
    answer = await client.get("/api/counts")
    assert answer.status_code == 503
    assert answer.headers["retry-after"]
    assert answer.json()["message"] == "the store is gone"


async def test_an_error_of_our_own_is_500_as_json(app, direct):
    class Broken:
        async def counts(self):
            raise ZeroDivisionError

    direct.questions.reader = Broken()
    transport = httpx.ASGITransport(app, raise_app_exceptions=False)
    async with httpx.AsyncClient(transport=transport, base_url="http://headwater.test") as client:
        answer = await client.get("/api/counts")
    assert answer.status_code == 500
    assert "ZeroDivision" not in answer.text
    assert answer.json()["code"] == 500


async def test_metrics_are_prometheus_text(client, send, event):
    await send(event())
    answer = await client.get("/metrics")
    assert answer.headers["content-type"].startswith("text/plain")
    assert 'headwater_http_requests_total{method="POST",route="/api/v1/lineage",status="201"} 1.0' in answer.text


async def test_probes_made_for_marquez_are_answered(client, direct):
    assert (await client.get("/ping")).text == "pong\n"
    assert (await client.get("/v2beta/metrics")).text.startswith("# HELP")
    answer = await client.get("/healthcheck")
    assert answer.status_code == 200
    assert [check["healthy"] for check in answer.json().values()] == [True]
    direct.ready = Readiness(False, {"sql": "cannot be reached"})
    answer = await client.get("/healthcheck")
    assert answer.status_code == 503
    assert answer.json() == {"sql": {"healthy": False, "message": "cannot be reached"}}


async def test_dead_letters_are_listed_page_by_page(client, direct):
    assert (await client.get("/api/deadletters")).json() == {
        "letters": [], "truncated": False, "truncatedBy": None, "next": None
    }  # fmt: skip
    await direct.log.append("events.dlq", [Record(f"poison {number}".encode()) for number in range(3)])
    page = (await client.get("/api/deadletters?limit=2")).json()
    assert [letter["value"] for letter in page["letters"]] == ["poison 0", "poison 1"]
    assert page["truncated"] is True
    rest = (await client.get("/api/deadletters", params={"after": page["next"]})).json()
    assert [letter["value"] for letter in rest["letters"]] == ["poison 2"]
    assert (await client.get("/api/deadletters?state=purged")).json()["letters"] == []


@pytest.mark.parametrize("url", ["/", "/api/docs"])
async def test_pages_load_nothing_from_elsewhere(client, url):
    answer = await client.get(url)
    assert answer.status_code == 200
    assert answer.headers["content-type"] == "text/html; charset=utf-8"
    assert not re.search(r'(src|href)="(https?:)?//', answer.text)
    assert "@import" not in answer.text
    policy = answer.headers["content-security-policy"]
    assert "default-src 'none'" in policy
    assert "script-src 'sha256-" in policy
    assert answer.headers["x-content-type-options"] == "nosniff"


async def test_links_on_the_start_page_lead_somewhere(client, send, event):
    await send(event())
    text = (await client.get("/")).text
    for link in re.findall(r'href="(/[^"]*)"', text):
        assert (await client.get(link)).status_code == 200, link


async def test_openapi_describes_every_route(client, app):
    document = (await client.get("/api/openapi.json")).json()
    assert document["openapi"].startswith("3.")
    paths = document["paths"]
    for path in ("/api/v1/lineage", "/api/v1/lineage/batch", "/api/evidence/{namespace}/{name}", "/api/deadletters",
                 "/api/v1/namespaces/{namespace}/datasets/{name}/versions", "/readyz", "/metrics"):  # fmt: skip
        assert path in paths
    for path, item in paths.items():
        for method, operation in item.items():
            assert operation.get("description"), (method, path)
            assert operation["tags"], (method, path)
            named = {each["name"] for each in operation.get("parameters", ()) if each["in"] == "path"}
            assert named == set(re.findall(r"{(\w+)}", path))
            for each in operation.get("parameters", ()):
                assert each.get("description"), (method, path, each["name"])
    post = paths["/api/v1/lineage"]["post"]
    assert {"201", "202", "400", "413", "415", "422", "503"} <= set(post["responses"])
    assert post["requestBody"]["content"]["application/json"]


async def test_every_answer_is_guarded(client):
    for url in ("/", "/api/counts", "/metrics", "/nowhere", "/api/openapi.json", "/api/v1/jobs?limit=x"):
        assert (await client.get(url)).headers["x-content-type-options"] == "nosniff", url
