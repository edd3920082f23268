"""TLS and SASL, against a broker that asks for both."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from headwater.shared.errors import TransientError
from headwater.shared.log import Record
from headwater.shared.log.kafka import KafkaLog
from tests.servers import ServerMissing, launch
from tests.servers.ports import free_port
from tests.support.kafka import quick_settings
from tests.support.seeds import IN_CI

PASSWORD = "s3cret"
LOGIN = 'org.apache.kafka.common.security.plain.PlainLoginModule required user_app="s3cret";'


@pytest.fixture(scope="module")
def guarded(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, str]]:
    """The address of the broker's guarded listener, and the file of the authority that vouches for it."""
    room = tmp_path_factory.mktemp("tls")
    key, certificate = made_certificate(room)
    plain, port, controller = free_port(), free_port(), free_port()
    listeners = f"PLAINTEXT://127.0.0.1:{plain},SASL_SSL://127.0.0.1:{port}"
    settings = {
        "listeners": f"{listeners},CONTROLLER://127.0.0.1:{controller}",
        "advertised.listeners": listeners,
        "controller.quorum.voters": f"1@127.0.0.1:{controller}",
        "listener.security.protocol.map": "PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT,SASL_SSL:SASL_SSL",
        "sasl.enabled.mechanisms": "PLAIN",
        "listener.name.sasl_ssl.plain.sasl.jaas.config": LOGIN,
        "ssl.keystore.type": "PEM",
        "ssl.keystore.key": one_line(key),
        "ssl.keystore.certificate.chain": one_line(certificate),
    }
    try:
        broker = launch("kafka", port=plain, settings=settings)
    except ServerMissing as missing:
        (pytest.fail if IN_CI else pytest.skip)(f"kafka: {missing}")
    yield f"127.0.0.1:{port}", str(certificate)
    broker.remove()


def made_certificate(room: Path) -> tuple[Path, Path]:
    key, certificate = room / "key.pem", room / "certificate.pem"
    command = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=127.0.0.1",
               "-addext", "subjectAltName=IP:127.0.0.1", "-keyout", str(key), "-out", str(certificate)]  # fmt: skip
    subprocess.run(command, check=True, capture_output=True)
    return key, certificate


def one_line(path: Path) -> str:
    """As a properties file has it."""
    return path.read_text().strip().replace("\n", "\\n")


def log_for(address: str, **more: Any) -> KafkaLog:
    table = {"security_protocol": "SASL_SSL", "username": "app", "password": PASSWORD, "request_timeout_s": 5}
    return KafkaLog(quick_settings(address, **table | more))


async def test_events_go_and_come(guarded: tuple[str, str]) -> None:
    address, authority = guarded
    log = log_for(address, ca_file=authority)
    await log.open()
    await log.append("guarded", [Record(b"1"), Record(b"2")])
    consumer = log.consumer("g", ["guarded"])
    batch = await consumer.next_batch(max_records=10, max_bytes=1000, timeout_s=30)
    assert [record.value for record in batch] == [b"1", b"2"]
    await consumer.close()
    await log.close()


@pytest.mark.parametrize("wrong", [{"password": "another"}, {"ca_file": None}, {"security_protocol": "SASL_PLAINTEXT"}])
async def test_what_does_not_fit_is_told_without_the_password(guarded: tuple[str, str], wrong: dict[str, Any]) -> None:
    address, authority = guarded
    log = log_for(address, **{"ca_file": authority} | wrong)
    with pytest.raises(TransientError) as raised:
        await log.append("guarded", [Record(b"1")])
    assert PASSWORD not in str(raised.value)
    await log.close()
