"""Each server starts, serves its own client, and has what it had acknowledged after SIGKILL."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import psutil
import pytest

from tests.servers import Server, places
from tests.servers.fixtures import *  # noqa: F403
from tests.servers.places import KafkaTopics, MongoDatabase
from tests.support.outside import ROOT

OwnServer = Callable[[str], Server]
TIMEOUT_S = 60


async def kill_and_restart(server: Server) -> None:
    before = server.pid
    await asyncio.to_thread(server.kill)
    assert not server.running
    await asyncio.to_thread(server.start)
    assert server.pid not in (None, before)


async def test_kafka(own_server: OwnServer) -> None:
    from aiokafka import AIOKafkaConsumer, AIOKafkaProducer, TopicPartition

    server = own_server("kafka")
    with KafkaTopics(server.url) as topics:
        topic = topics.make(partitions=2)
        sent = [f"{number}".encode() for number in range(20)]
        async with AIOKafkaProducer(bootstrap_servers=server.url, acks="all", enable_idempotence=True) as producer:
            await asyncio.gather(*[await producer.send(topic, value, partition=int(value) % 2) for value in sent])

        await kill_and_restart(server)

        consumer = AIOKafkaConsumer(
            topic, bootstrap_servers=server.url, group_id="g", auto_offset_reset="earliest", enable_auto_commit=False
        )
        async with consumer:
            got = [(await asyncio.wait_for(consumer.getone(), TIMEOUT_S)).value for _ in sent]
            await consumer.commit()
            committed = [await consumer.committed(TopicPartition(topic, partition)) for partition in (0, 1)]
        assert sorted(got, key=int) == sent
        assert committed == [10, 10]


@pytest.mark.servers
async def test_neo4j(own_server: OwnServer) -> None:
    from neo4j import AsyncGraphDatabase

    server = own_server("neo4j")
    await asyncio.to_thread(places.empty_neo4j, server.url)
    async with AsyncGraphDatabase.driver(server.url) as driver:
        await driver.execute_query("CREATE CONSTRAINT unique_key FOR (n:Smoke) REQUIRE n.key IS UNIQUE")
        await driver.execute_query("UNWIND $keys AS key CREATE (:Smoke {key: key})", keys=list(range(20)))

    await kill_and_restart(server)

    async with AsyncGraphDatabase.driver(server.url) as driver:
        found = await driver.execute_query("MATCH (n:Smoke) RETURN n.key AS key ORDER BY key")
        assert [record["key"] for record in found.records] == list(range(20))
        await asyncio.to_thread(places.empty_neo4j, server.url)
        left = await driver.execute_query("SHOW CONSTRAINTS YIELD name RETURN count(*) AS constraints")
        assert left.records[0]["constraints"] == 0


async def test_mongo(own_server: OwnServer) -> None:
    from pymongo import AsyncMongoClient
    from pymongo.errors import DuplicateKeyError

    server = own_server("mongo")
    with places.mongo_database(server.url) as place:
        async with AsyncMongoClient(server.url) as client:
            await client[place.name].events.insert_many([{"_id": number, "raw": b"\0\xff"} for number in range(20)])

        await kill_and_restart(server)

        async with AsyncMongoClient(server.url) as client:
            events = client[place.name].events
            assert [event["_id"] async for event in events.find({"raw": b"\0\xff"}).sort("_id")] == list(range(20))
            with pytest.raises(DuplicateKeyError):
                await events.insert_one({"_id": 3})


async def test_postgres(own_server: OwnServer) -> None:
    import psycopg

    server = own_server("postgres")
    with places.postgres_database(server.url) as url:
        async with await psycopg.AsyncConnection.connect(url) as connection:
            await connection.execute("CREATE TABLE events AS SELECT generate_series(1, 20) AS number")

        await kill_and_restart(server)

        async with await psycopg.AsyncConnection.connect(url) as connection:
            assert await (await connection.execute("SELECT sum(number) FROM events")).fetchone() == (210,)


def test_a_stalled_server_answers_nothing_and_goes_on(own_server: OwnServer) -> None:
    server = own_server("postgres")
    server.pause()
    assert server.running
    with pytest.raises(Exception, match="timeout"):
        server.ask(server.url)
    server.resume()
    server.ask(server.url)


def test_a_server_ends_with_the_process_that_started_it_even_when_that_is_killed(own_server: OwnServer) -> None:
    own_server("mongo")  # skips where there is none
    script = "from tests.servers import launch; print(launch('mongo').pid, flush=True); input()"
    with subprocess.Popen(
        [sys.executable, "-c", script], cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as parent:
        assert parent.stdout is not None
        server = psutil.Process(int(parent.stdout.readline()))
        assert server.is_running()
        parent.kill()
    server.wait(TIMEOUT_S)


def test_up_leaves_a_server_that_another_process_finds_and_stops(own_server: OwnServer, tmp_path: Path) -> None:
    own_server("postgres")
    environment = os.environ | {"HEADWATER_SERVERS_CACHE": str(tmp_path)}

    def run(*words: str) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-m", "tests.servers", *words]
        return subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)

    try:
        variable, _, url = run("up", "postgres").stdout.strip().removeprefix("export ").partition("=")
        assert variable == "HEADWATER_TEST_POSTGRES"
        own_server("postgres").ask(url)
        assert url in run("status", "postgres").stdout
        again = run("up", "postgres")
        assert url in again.stdout, again.stderr
    finally:
        stopped = run("down", "--wipe", "postgres")
    assert "stopped" in stopped.stdout, stopped.stderr
    assert run("status", "postgres").returncode == 1


def test_every_test_has_a_place_of_its_own(
    kafka_topics: KafkaTopics, mongo_database: MongoDatabase, postgres_database: str, neo4j_database: str
) -> None:
    assert kafka_topics.make() != kafka_topics.make()
    assert mongo_database.name.startswith("headwater_")
    assert postgres_database.rpartition("/")[2].startswith("headwater_")
    assert neo4j_database.startswith(("bolt", "neo4j"))
