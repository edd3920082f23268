"""Servers in containers, where an engine answers and the optional package testcontainers is installed."""

from __future__ import annotations

import shutil
import subprocess
import time
from functools import cache
from importlib.util import find_spec
from typing import Any

from tests.servers.errors import ServerBroken
from tests.servers.kinds import KINDS
from tests.servers.ports import free_port

_START_TIMEOUT_S = 120
_INSIDE = {"kafka": 9092, "neo4j": 7687, "mongo": 27017, "postgres": 5432}
_IMAGES = {
    "kafka": "apache/kafka:4.1.2",
    "neo4j": "neo4j:5.26.30-community",
    "mongo": "mongo:8.0",
    "postgres": "postgres:15",
}
_URLS = {
    "kafka": "{host}:{port}",
    "neo4j": "bolt://{host}:{port}",
    "mongo": "mongodb://{host}:{port}/",
    "postgres": "postgresql://postgres@{host}:{port}/postgres",
}


@cache
def available() -> bool:
    """Whether a Docker engine answers and testcontainers is there."""
    if find_spec("testcontainers") is None or (docker := shutil.which("docker")) is None:
        return False
    try:
        return subprocess.run([docker, "info"], capture_output=True, timeout=10, check=False).returncode == 0
    except subprocess.TimeoutExpired:
        return False


def start(name: str) -> str:
    """Start one and return its URL once it answers; it is removed after this process. Raises ServerBroken."""
    from testcontainers.core.container import DockerContainer

    port = free_port()  # chosen before, since Kafka tells its clients its own address
    container = DockerContainer(_IMAGES[name]).with_bind_ports(_INSIDE[name], port)
    for variable, value in _environment(name, port).items():
        container = container.with_env(variable, value)
    container.start()
    url = _URLS[name].format(host=container.get_container_host_ip(), port=port)
    until = time.monotonic() + _START_TIMEOUT_S
    while True:
        try:
            KINDS[name].ask(url)
        except Exception as error:  # each client library has its own; the last one is told
            if time.monotonic() > until:
                raise ServerBroken(f"the container of {name} does not answer at {url}: {error}") from error
            time.sleep(0.5)
        else:
            return url


def _environment(name: str, port: int) -> dict[str, Any]:
    if name == "postgres":
        return {"POSTGRES_HOST_AUTH_METHOD": "trust"}
    if name == "neo4j":
        return {
            "NEO4J_AUTH": "none",
            "NEO4J_server_memory_heap_max__size": "512m",
            "NEO4J_server_memory_pagecache_size": "256m",
        }
    if name == "kafka":
        return {
            "KAFKA_NODE_ID": "1",
            "KAFKA_PROCESS_ROLES": "broker,controller",
            "KAFKA_CONTROLLER_QUORUM_VOTERS": "1@localhost:9093",
            "KAFKA_CONTROLLER_LISTENER_NAMES": "CONTROLLER",
            "KAFKA_LISTENER_SECURITY_PROTOCOL_MAP": "CONTROLLER:PLAINTEXT,PLAINTEXT:PLAINTEXT",
            "KAFKA_LISTENERS": "PLAINTEXT://:9092,CONTROLLER://:9093",
            "KAFKA_ADVERTISED_LISTENERS": f"PLAINTEXT://localhost:{port}",
            "KAFKA_AUTO_CREATE_TOPICS_ENABLE": "false",
            "KAFKA_GROUP_INITIAL_REBALANCE_DELAY_MS": "0",
            "KAFKA_OFFSETS_TOPIC_REPLICATION_FACTOR": "1",
            "KAFKA_TRANSACTION_STATE_LOG_REPLICATION_FACTOR": "1",
            "KAFKA_TRANSACTION_STATE_LOG_MIN_ISR": "1",
            "KAFKA_HEAP_OPTS": "-Xmx512m",
        }
    return {}
