"""Two collectors from Kafka to MongoDB and Neo4j; each of the four is killed in a random order, and comes back."""

from __future__ import annotations

import asyncio
import json
import time
from collections import Counter

import pytest

from headwater.shared.codec import decode
from tests.integration.faults.cluster import Cluster
from tests.integration.faults.events import raw
from tests.integration.faults.evidence import check_once_each, fingerprint, undisturbed_fingerprint
from tests.integration.faults.plan import Kill, kills
from tests.integration.faults.probes import headwater
from tests.promises.processes import Child
from tests.support.seeds import FULL, SEED, rng

FAMILY = "faults"
WORKERS = 2


async def test_kills(cluster: Cluster) -> None:
    if FULL:
        await attack(cluster, many=100_000, each=5, seconds=420)
    else:
        await attack(cluster, many=2_000, each=1, seconds=8)


@pytest.mark.soak
async def test_100_000_events_and_five_kills_of_each(cluster: Cluster) -> None:
    await attack(cluster, many=100_000, each=5, seconds=420)


async def attack(cluster: Cluster, *, many: int, each: int, seconds: float) -> None:
    """``seconds``: how long the application emits."""
    plan = kills(rng("kills"), each, workers=WORKERS)
    say(f"HEADWATER_SEED={SEED}: {many} events, {WORKERS} collectors, each part killed {each} times")
    begun_s = time.monotonic()
    cluster.start_workers(WORKERS)
    spool = {"HEADWATER_URL": cluster.url, "HEADWATER_SPOOL": str(cluster.directory / "spool")}
    application = Child("tests.integration.faults.application", FAMILY, str(many), str(seconds), "1800", env=spool)
    try:
        for kill in plan:
            await asyncio.to_thread(carry_out, cluster, kill, many)
        account = json.loads(await asyncio.to_thread(application.output, timeout_s=2400))
    except BaseException:
        application.process.kill()
        application.process.communicate()
        raise
    say(f"the application: {account}")
    assert account == {"flushed": True, "emitted": many, "delivered": many, "spooled": 0, "dropped": 0}
    await asyncio.to_thread(cluster.await_drained, 2400)
    took_s = time.monotonic() - begun_s
    appended, retried, dead = (
        cluster.appended(cluster.topic), sum(map(cluster.appended, cluster.retries)),
        cluster.appended(cluster.dead_letters),
    )  # fmt: skip
    say(f"all settled after {took_s:.0f} s")
    say(f"{appended} records in the topic, {retried} retried later, {dead} dead letters")
    say(f"the collectors logged: {dict(logged(cluster))}")
    assert appended >= many
    assert dead == 0
    events = [raw(FAMILY, number) for number in range(many)]
    assert len({decode(event).event_id for event in events}) == many
    await asyncio.to_thread(check_once_each, cluster, events)
    say(f"both stores hold all {many} events, byte for byte, each once")
    found, wanted = await fingerprint(cluster), await undisturbed_fingerprint(events)
    say(f"fingerprint {found}, of an undisturbed run {wanted}")
    assert found == wanted
    report = await asyncio.to_thread(headwater, cluster, "reconcile", "--dry-run", "--grace", "0")
    say(f"headwater reconcile: {report}")
    assert {name: (told["held"], told["lacked"]) for name, told in report["stores"].items()} == {
        "document": (many, 0), "graph": (many, 0)
    }  # fmt: skip
    assert report["agree"]
    for worker in cluster.workers:
        await asyncio.to_thread(worker.stop)


def carry_out(cluster: Cluster, kill: Kill, many: int) -> None:
    cluster.await_that(lambda: cluster.committed() >= kill.at * many, 1200, f"no progress before {kill}")
    settled = cluster.committed()
    for part in kill.parts:
        (cluster.workers[kill.worker] if part == "collector" else cluster.servers[part]).kill()
    time.sleep(kill.down_s)
    for part in kill.parts:
        (cluster.workers[kill.worker] if part == "collector" else cluster.servers[part]).start()
    say(f"{kill} ({settled} records settled before)")


def logged(cluster: Cluster) -> Counter[str]:
    """How often the collectors said what."""
    told: Counter[str] = Counter()
    for worker in cluster.workers:
        for line in worker.errors.read_text().splitlines():
            if line.startswith("{"):
                told[json.loads(line)["event"]] += 1
    return told


_BEGUN_S = time.monotonic()


def say(line: str) -> None:
    print(f"{time.monotonic() - _BEGUN_S:6.0f} s  {line}", flush=True)
