"""docker-compose.yml, loaded by the library behind `docker compose config`."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml

from headwater.collector.settings import Settings
from headwater.collector.stores.registry import build_store
from headwater.shared.limits import DEFAULT_LIMITS
from tests.deploy.conftest import Tool
from tests.deploy.grace import allowed_s, taken_s
from tests.support.outside import ROOT

FILE = ROOT / "docker-compose.yml"
PIPELINE = {"kafka", "mongo", "neo4j", "collector-1", "collector-2", "api"}
OURS = ("collector-1", "collector-2", "api", "embedded")
Load = Callable[..., dict[str, Any]]


@pytest.fixture
def load(compose: Tool) -> Load:
    return lambda *profiles, **variables: json.loads(compose(FILE, *profiles, **variables).stdout)


def plain() -> dict[str, Any]:
    """As YAML alone has it."""
    services: dict[str, Any] = yaml.safe_load(FILE.read_text())["services"]
    return services


def test_it_is_a_compose_file(load: Load) -> None:
    assert set(load()["services"]) == PIPELINE
    assert set(load("embedded")["services"]) == PIPELINE | {"embedded"}
    assert "depends_on" not in load("embedded")["services"]["embedded"], "`up embedded` must start nothing else"


def test_the_loader_refuses_what_is_none(compose: Tool, tmp_path: Path) -> None:
    broken = tmp_path / "docker-compose.yml"
    for wrong in (
        FILE.read_text().replace("profiles: [embedded]", "profile: [embedded]"),
        FILE.read_text().replace("kafka: {condition: service_healthy}", "kafkaa: {condition: service_healthy}"),
    ):
        broken.write_text(wrong)
        assert compose(broken, "embedded", check=False).returncode == 1


def test_ports_are_on_loopback_and_apart(load: Load) -> None:
    taken: dict[str, list[str]] = {}
    for name, service in load("embedded")["services"].items():
        for port in service["ports"]:
            assert port["host_ip"] == "127.0.0.1", name
            taken.setdefault(port["published"], []).append(name)
    assert taken.pop("5000") == ["api", "embedded"]  # one instead of the other
    assert all(len(names) == 1 for names in taken.values()), taken


def test_ports_are_on_loopback_in_the_file_itself() -> None:
    for service in plain().values():
        for port in service.get("ports", ()):
            assert port.startswith("127.0.0.1:")


def test_every_service_tells_how_it_is_and_is_pinned(load: Load) -> None:
    image = (ROOT / "deploy" / "Dockerfile").read_text()
    for name, service in load("embedded")["services"].items():
        if name not in ("api", "embedded"):
            assert service["healthcheck"]["test"], name
        else:
            assert "HEALTHCHECK" in image
        if "build" not in service:
            assert re.fullmatch(r"[a-z/0-9]+:\d+\.\d+[\w.-]*", service["image"]), service["image"]
        assert service["restart"] == "unless-stopped"


def test_ours_run_without_rights(load: Load) -> None:
    for name in OURS:
        service = load("embedded")["services"][name]
        assert service["read_only"] is True
        assert service["cap_drop"] == ["ALL"]
        assert service["security_opt"] == ["no-new-privileges:true"]


def test_passwords_come_from_the_environment(load: Load) -> None:
    given = {"HEADWATER_MONGO_PASSWORD": "of-mongo", "HEADWATER_NEO4J_PASSWORD": "of-neo4j"}
    services = load(**given)["services"]
    assert services["mongo"]["environment"]["MONGO_INITDB_ROOT_PASSWORD"] == "of-mongo"
    assert services["neo4j"]["environment"]["NEO4J_AUTH"] == "neo4j/of-neo4j"
    for name in ("collector-1", "collector-2", "api"):
        environment = services[name]["environment"]
        assert environment["HEADWATER_CONNECTIONS__AUDIT__PASSWORD"] == "of-mongo"
        assert environment["HEADWATER_CONNECTIONS__LINEAGE__PASSWORD"] == "of-neo4j"
    for line in FILE.read_text().splitlines():
        if re.search(r"(password|_AUTH)\S*:", line, re.IGNORECASE):
            assert re.search(r"\$\{HEADWATER_\w+_PASSWORD:-local-use-only\}", line), line


def test_the_settings_are_ones_that_headwater_takes(load: Load, monkeypatch: pytest.MonkeyPatch) -> None:
    environment = load()["services"]["collector-1"]["environment"]
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    settings = Settings()
    assert settings.lineage.url == "kafka://kafka:9092"
    assert settings.lineage.store.backends == ("document", "graph")
    for store in settings.lineage.store.backends:
        assert build_store(store, settings).name == store
    services = load()["services"]
    assert services["collector-2"]["environment"] == services["api"]["environment"] == environment
    assert int(services["kafka"]["environment"]["KAFKA_MESSAGE_MAX_BYTES"]) > DEFAULT_LIMITS.max_event_bytes


@pytest.mark.parametrize("name", OURS)
def test_a_container_is_given_the_time_to_drain(name: str) -> None:
    service = plain()[name]
    assert int(service["stop_grace_period"].removesuffix("s")) > taken_s(service["command"])
    assert allowed_s(service["command"]) > 0


@pytest.mark.parametrize("name", OURS)
def test_the_commands_are_ones_that_headwater_has(name: str) -> None:
    from typer.testing import CliRunner

    from headwater.collector.cli.app import app

    command, *options = plain()[name]["command"]
    text = CliRunner().invoke(app, [command, "--help"]).output
    assert [option for option in options if option.startswith("--") and option not in text] == []
