"""One Kafka broker that is its own KRaft controller."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from pathlib import Path

from tests.servers.kinds.jars import QUICK, JavaServer
from tests.servers.ports import free_port
from tests.servers.server import address
from tests.servers.tools import need_tool, run_tool

_CLUSTER = "aGVhZHdhdGVyLXRlc3RzIQ"  # any 16 bytes in base64
_QUIET = logging.getLogger("tests.servers.kafka")


class Kafka(JavaServer):
    """``url`` is a bootstrap address. Topics are made on request only; ``settings`` override server.properties."""

    name = "kafka"
    product = "Apache Kafka 4.1.2 (KRaft)"
    default_port = 29092

    def __init__(
        self,
        directory: Path,
        *,
        port: int | None = None,
        detached: bool = False,
        settings: Mapping[str, object] | None = None,
    ) -> None:
        super().__init__(directory, port=port, detached=detached)
        self._settings = dict(settings or {})
        self._controller_port = int(self._read_state().get("controller_port") or free_port())

    @property
    def url(self) -> str:
        return address(self.port)

    @staticmethod
    def ask(url: str) -> None:
        """Asks for the brokers: one that is registered and unfenced is among them."""
        from confluent_kafka.admin import AdminClient

        admin = AdminClient({"bootstrap.servers": url, "socket.timeout.ms": 2000, "log_level": 0}, logger=_QUIET)
        if not admin.list_topics(timeout=3).brokers:
            raise ConnectionError("no broker is unfenced yet")

    def _prepare(self) -> list[str]:
        data, properties = self.directory / "data", self.directory / "server.properties"
        listener, controller = f"PLAINTEXT://{address(self.port)}", f"CONTROLLER://{address(self._controller_port)}"
        settings = {
            "process.roles": "broker,controller",
            "node.id": 1,
            "controller.quorum.voters": f"1@{address(self._controller_port)}",
            "controller.listener.names": "CONTROLLER",
            "listeners": f"{listener},{controller}",
            "advertised.listeners": listener,
            "log.dirs": data,
            "auto.create.topics.enable": "false",
            "num.network.threads": 2,
            "num.io.threads": 4,
            "background.threads": 2,
            "group.initial.rebalance.delay.ms": 0,
            # A broker that was killed is let in again when its old session has run out: 9 s else.
            "broker.session.timeout.ms": 2000,
            "broker.heartbeat.interval.ms": 400,
            "log.cleaner.dedupe.buffer.size": 8 << 20,  # 128 MiB of the heap else
            # One broker cannot replicate, and few partitions of the internal topics are read back faster.
            "offsets.topic.replication.factor": 1,
            "offsets.topic.num.partitions": 4,
            "transaction.state.log.replication.factor": 1,
            "transaction.state.log.min.isr": 1,
            "transaction.state.log.num.partitions": 4,
            "share.coordinator.state.topic.replication.factor": 1,
            "share.coordinator.state.topic.min.isr": 1,
        } | self._settings
        properties.write_text("".join(f"{key}={value}\n" for key, value in settings.items()))
        if not (data / "meta.properties").exists():
            formatter = ("kafka.tools.StorageTool", "format", "-t", _CLUSTER, "-c", str(properties))
            command = [need_tool("java"), *QUICK, *self._classes(), *formatter]
            run_tool(command, where=self.directory, doing="formatting Kafka's data directory")
        return self._java("kafka.Kafka", str(properties))

    def _more_state(self) -> dict[str, int]:
        return {"controller_port": self._controller_port}
