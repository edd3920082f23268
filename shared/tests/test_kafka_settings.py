"""Addresses, settings and keys of the Kafka log: what needs no broker."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import Any

import pytest

from headwater.shared.errors import ConfigurationError, PermanentError, TransientError
from headwater.shared.log.kafka import KafkaLog, kafka_settings, parse_address
from headwater.shared.log.kafka.errors import translated
from headwater.shared.log.kafka.settings import client_options
from headwater.shared.log.keys import partition_key, partition_key_of


@pytest.mark.parametrize(
    ("url", "servers", "topic"),
    [
        ("kafka://host", ("host:9092",), None),
        ("kafka://host:1/", ("host:1",), None),
        ("kafka://a:9092,b,c:3/some.topic", ("a:9092", "b:9092", "c:3"), "some.topic"),
        ("kafka://[::1]:9092,[fe80::1]/t", ("[::1]:9092", "[fe80::1]:9092"), "t"),
    ],
)
def test_addresses(url: str, servers: tuple[str, ...], topic: str | None) -> None:
    assert parse_address(url) == (servers, topic)


@pytest.mark.parametrize(
    "url",
    ["kafka://", "kafka:host", "kafka:///t", "kafka://h:x/t", "kafka://h:0/t", "kafka://h:99999", "kafka://h,/t",
     "kafka://::1/t", "kafka://h/a/b", "kafka://h/t?x=1", "http://h/t"],
)  # fmt: skip
def test_wrong_addresses(url: str) -> None:
    with pytest.raises(ConfigurationError):
        parse_address(url)


def test_a_password_in_the_address_is_refused_and_not_shown() -> None:
    with pytest.raises(ConfigurationError) as raised:
        parse_address("kafka://user:s3cret@host:9092/t")
    assert "s3cret" not in str(raised.value)
    assert "lineage.kafka" in str(raised.value)


SASL = {"security_protocol": "SASL_SSL", "sasl_mechanism": "SCRAM-SHA-512", "username": "u", "password": "s3cret"}


def test_the_environment_wins_and_secrets_are_not_shown() -> None:
    settings = kafka_settings(("h:1",), SASL, {"HEADWATER_KAFKA_PASSWORD": "0ther", "HEADWATER_KAFKA_USERNAME": "me"})
    assert (settings.username, settings.password) == ("me", "0ther")
    assert "0ther" not in repr(settings)
    options = client_options(settings)
    assert (options["sasl_mechanism"], options["sasl_plain_password"]) == ("SCRAM-SHA-512", "0ther")
    assert options["ssl_context"].check_hostname


@pytest.mark.parametrize(
    ("table", "key"),
    [
        ({"sasl": "x"}, "sasl"),
        ({"security_protocol": "TLS"}, "security_protocol"),
        ({"security_protocol": "SASL_SSL", "username": "u"}, "password"),
        ({"username": "u", "password": "s3cret"}, "security_protocol"),
        (SASL | {"sasl_mechanism": "GSSAPI"}, "sasl_mechanism"),
        (SASL | {"password": 5}, "password"),
        ({"partitions": 0}, "partitions"),
        ({"partitions": True}, "partitions"),
        ({"create_topics": "yes"}, "create_topics"),
        ({"retention_s": -1}, "retention_s"),
        ({"key_file": "/x"}, "key_file"),
        ({"compression": "rar"}, "compression"),
    ],
)
def test_wrong_settings_name_the_key_and_no_secret(table: dict[str, Any], key: str) -> None:
    with pytest.raises(ConfigurationError, match=rf"lineage\.kafka\.{key}\b") as raised:
        kafka_settings(("h:1",), table, {})
    assert "s3cret" not in str(raised.value)


async def test_a_certificate_that_is_not_there_is_named_when_the_log_opens() -> None:
    log = KafkaLog(kafka_settings(("h:1",), {"security_protocol": "SSL", "ca_file": "/no/such.pem"}, {}))
    with pytest.raises(ConfigurationError, match=r"lineage\.kafka\.ca_file.*such\.pem"):
        await log.open()


def test_errors_are_transient_but_for_what_the_record_is_to_blame_for() -> None:
    from aiokafka import errors

    assert isinstance(translated(errors.MessageSizeTooLargeError(), "x"), PermanentError)
    for kind in (errors.KafkaConnectionError, errors.TopicAuthorizationFailedError, errors.SaslAuthenticationFailed,
                 errors.UnsupportedCodecError, errors.NotEnoughReplicasError, OSError, TimeoutError):  # fmt: skip
        assert isinstance(translated(kind("why"), "appending to t"), TransientError)


def test_keys_are_those_of_openlineages_own_transport() -> None:
    run = {"run": {"runId": "x"}, "job": {"namespace": "n", "name": "own/é"}}
    assert partition_key(run) == "run:n/own/é".encode()
    parent: dict[str, Any] = {"run": {"runId": "y"}, "job": {"namespace": "p", "name": "parent"}}
    run["run"]["facets"] = {"parent": parent}  # type: ignore[index]
    assert partition_key(run) == b"run:p/parent"
    parent["root"] = {"run": {"runId": "z"}, "job": {"namespace": "r", "name": "root"}}
    assert partition_key(run) == b"run:r/root"
    assert partition_key({"job": {"namespace": "n", "name": "j"}}) == b"job:n/j"
    assert partition_key({"dataset": {"namespace": "n", "name": "d"}}) == b"dataset:n/d"
    assert partition_key_of(json.dumps(run).encode()) == b"run:r/root"


@pytest.mark.parametrize(
    "raw",
    [b"", b"[]", b"\xff", b"{}", b"[" * 100_000, b'{"run":5}', b'{"run":{},"job":{"name":5}}',
     b'{"run":{"facets":[]},"job":[]}', b'{"job":{"namespace":"","name":"x"}}'],
)  # fmt: skip
def test_what_names_no_job_has_no_key(raw: bytes) -> None:
    assert partition_key_of(raw) is None


def test_settings_load_neither_aiokafka_nor_asyncio() -> None:
    code = "import sys, headwater.shared.log.kafka; print({'asyncio', 'aiokafka', 'ssl'} & set(sys.modules))"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "set()\n"
