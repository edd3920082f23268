"""Manifest, statement and PROV over HTTP, and a manifest checked against the store."""

from __future__ import annotations

import gzip
import json

import pytest


@pytest.fixture
async def released(send, event):
    def versioned(mention, version):
        mention["facets"] = {"version": {"datasetVersion": version}}

    for number, (kind, version) in enumerate([("COMPLETE", "1"), ("FAIL", "2"), ("COMPLETE", "3")], 1):
        one = event(number, kind, outputs=[("s3://x/y", "a b")], time=f"2026-01-0{number}T00:00:00Z")
        versioned(one["outputs"][0], version)
        await send(one)
    twice = event(9, outputs=[("s3://x/y", "a b")], time="2026-01-01T12:00:00Z")
    versioned(twice["outputs"][0], "1")
    await send(twice)


@pytest.fixture
def url(path):
    return path("api", "evidence", "s3://x/y", "a b")


async def test_formats(client, released, url):
    manifest = (await client.get(f"{url}?format=manifest")).json()
    assert (manifest["format"], manifest["subject"]["generation"]) == ("headwater.replay-manifest/1", "3")
    statement = (await client.get(f"{url}?format=intoto")).json()
    assert statement["predicateType"] == "https://slsa.dev/provenance/v1"
    assert "entity" in (await client.get(f"{url}?format=prov&depth=3")).json()
    answer = await client.get(f"{url}?format=manifest&generation=2")
    assert (answer.status_code, "status candidate" in answer.json()["message"]) == (404, True)
    answer = await client.get(f"{url}?format=intoto&generation=1")
    assert (answer.status_code, "status conflict" in answer.json()["message"]) == (409, True)
    assert (await client.get(f"{url}?format=pdf")).status_code in (400, 422)


async def test_a_manifest_is_checked(client, released, url):
    manifest = (await client.get(f"{url}?format=manifest")).json()
    assert (await client.post("/api/manifests/verify", json=manifest)).json()["holds"] is True
    packed = gzip.compress(json.dumps(manifest).encode())
    headers = {"content-encoding": "gzip", "content-type": "application/json"}
    assert (await client.post("/api/manifests/verify", content=packed, headers=headers)).json()["holds"] is True
    manifest["run"]["state"] = "FAILED"
    answer = (await client.post("/api/manifests/verify", json=manifest)).json()
    assert [each["where"] for each in answer["differences"]] == ["run.state"]


@pytest.mark.parametrize(
    "change",
    [
        {"format": None},
        {"subject": {"dataset": {"namespace": "\ud800", "name": "x"}, "generation": "1"}},
        {"subject": {"dataset": {"namespace": "a\0", "name": "x"}, "generation": "1"}},
        {"subject": {"dataset": {"namespace": "a", "name": 1}, "generation": "1"}},
        {"events": [{"id": "x"}] * 1001},
        {"inputs": {}},
    ],
)
async def test_what_is_no_manifest_is_a_bad_request(client, released, url, change):
    manifest = (await client.get(f"{url}?format=manifest")).json() | change
    answer = await client.post("/api/manifests/verify", content=json.dumps(manifest))
    assert (answer.status_code, bool(answer.json()["message"])) == (400, True)


async def test_odd_ids_are_events_that_are_not_there(client, released, url):
    manifest = (await client.get(f"{url}?format=manifest")).json()
    manifest["events"] = [{"id": each} for each in ("", "zz", "00", "x" * 5000)]
    answer = await client.post("/api/manifests/verify", json=manifest)
    assert answer.status_code == 200
    assert len(answer.json()["missingEvents"]) == 4
