"""One store is away, hangs or refuses, and the other goes on: nothing is written twice, nothing waits for ever, and
what was given up heals."""

from __future__ import annotations

from typing import Any

import pytest
from neo4j import GraphDatabase
from pymongo import MongoClient

from tests.integration.faults.cluster import STORES, Cluster
from tests.integration.faults.events import raw
from tests.integration.faults.evidence import COLLECTION, check_once_each
from tests.integration.faults.feeding import feed
from tests.integration.faults.probes import STORE_EVENTS, headwater, metric, not_ready
from tests.support.seeds import FULL

pytestmark = pytest.mark.soak  # minutes for each store; test_kills has the everyday form
FAMILY = "store-down"
BEFORE, DURING = 40, 300
WITHIN_S = 300
FAULTS = [("mongo", "kill"), ("neo4j", "pause"), ("neo4j", "kill"), ("mongo", "pause")]


@pytest.mark.parametrize(("server", "fault"), FAULTS if FULL else FAULTS[:2])
def test_away_for_longer_than_the_tries_in_the_process(cluster: Cluster, server: str, fault: str) -> None:
    cluster.configure(deadline_s=8.0)
    (worker,) = cluster.start_workers(1)
    events = [raw(FAMILY, number) for number in range(BEFORE + DURING)]
    feed(cluster, events[:BEFORE])
    cluster.await_drained(WITHIN_S)
    retried = sum(map(cluster.appended, cluster.retries))
    down, healthy = STORES[server], *(name for name in STORES.values() if name != STORES[server])
    getattr(cluster.servers[server], fault)()
    feed(cluster, events[BEFORE:])
    cluster.await_that(lambda: f"store {down}" in not_ready(worker), WITHIN_S, f"{down} is not said to be down")
    cluster.await_that(lambda: sum(map(cluster.appended, cluster.retries)) > retried, WITHIN_S, "nothing waits for it")
    assert set(not_ready(worker)) <= {f"store {down}", "lane main", "lane retry.1", "lane retry.2", "lane retry.3"}
    assert metric(worker, STORE_EVENTS, store=healthy) > BEFORE, "the other store does not go on"
    (cluster.servers[server].start if fault == "kill" else cluster.servers[server].resume)()
    cluster.await_drained(WITHIN_S)
    cluster.await_that(lambda: not not_ready(worker), WITHIN_S, "it is not ready again")
    check_once_each(cluster, events)
    assert metric(worker, STORE_EVENTS, store=healthy) == len(events), "the other store was written again"
    assert cluster.appended(cluster.dead_letters) == 0
    worker.stop()


def test_workers_start_and_end_while_both_stores_are_down(cluster: Cluster) -> None:
    for server in STORES:
        cluster.servers[server].kill()
    events = [raw(FAMILY, number) for number in range(BEFORE)]
    feed(cluster, events)
    (worker,) = cluster.start_workers(1)
    wanted = {f"store {store}" for store in STORES.values()}
    cluster.await_that(lambda: wanted <= set(not_ready(worker)), WITHIN_S, "the stores are not said to be down")
    worker.stop()
    assert cluster.committed() == 0
    worker.start()
    for server in STORES:
        cluster.servers[server].start()
    cluster.await_drained(WITHIN_S)
    check_once_each(cluster, events)
    worker.stop()


def test_a_store_that_fails_for_good_is_named_in_the_dead_letters_and_replay_heals(cluster: Cluster) -> None:
    """MongoDB answers every ping and takes no second event of a type: somebody has made a unique index there."""
    cluster.configure(max_attempts=3)
    client: MongoClient[dict[str, Any]]
    with MongoClient(cluster.servers["mongo"].url) as client:
        client[cluster.database][COLLECTION].create_index("type", unique=True, name="somebody_s")
        events = completed(30)
        (worker,) = cluster.start_workers(1)
        feed(cluster, events)
        letters_name(cluster, "document", len(events) - 1, reason="retries_exhausted")
        assert metric(worker, STORE_EVENTS, store="graph") == len(events), "the other store was written again"
        client[cluster.database][COLLECTION].drop_index("somebody_s")
    heal(cluster, events, store="document")
    worker.stop()


def test_a_store_that_refuses_is_named_in_the_dead_letters_and_replay_heals(cluster: Cluster) -> None:
    """Neo4j takes one event of a type only: somebody has made a constraint there."""
    with GraphDatabase.driver(cluster.servers["neo4j"].url) as driver:
        driver.execute_query("CREATE CONSTRAINT somebody_s FOR (e:Event) REQUIRE e.type IS UNIQUE")
        events = completed(30)
        (worker,) = cluster.start_workers(1)
        feed(cluster, events)
        letters_name(cluster, "graph", len(events) - 1, reason="refused")
        assert metric(worker, STORE_EVENTS, store="document") == len(events), "the other store was written again"
        driver.execute_query("DROP CONSTRAINT somebody_s")
    heal(cluster, events, store="graph")
    worker.stop()


def completed(count: int) -> list[bytes]:
    """Of one type, each of a run of its own."""
    return [raw(FAMILY, number) for number in range(1, 20 * count, 2) if b'"COMPLETE"' in raw(FAMILY, number)][:count]


def letters_name(cluster: Cluster, store: str, count: int, *, reason: str) -> None:
    """All but one event are dead for this store, and for no other."""
    cluster.await_that(lambda: cluster.appended(cluster.dead_letters) >= count, WITHIN_S, "no dead letters")
    cluster.await_drained(WITHIN_S)
    letters = headwater(cluster, "dlq", "list", "--limit", "1000")["letters"]
    assert len(letters) == count
    assert {(letter["reason"], tuple(letter["failedStores"])) for letter in letters} == {(reason, (store,))}


def heal(cluster: Cluster, events: list[bytes], *, store: str) -> None:
    """Replays the store's dead letters; a second replay finds none."""
    replayed = headwater(cluster, "dlq", "replay", "--store", store)["replayed"]
    assert replayed == len(events) - 1
    cluster.await_drained(WITHIN_S)
    check_once_each(cluster, events)
    assert headwater(cluster, "dlq", "replay", "--store", store)["replayed"] == 0
