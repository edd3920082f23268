"""Settings: one order, clear errors, no secrets shown."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

from headwater.collector.redact import redacted
from headwater.collector.settings import Settings
from headwater.shared.errors import ConfigurationError

FILE = """
[lineage]
enabled = true
url = "kafka://127.0.0.1:9092"
collector_topic = "file.topic"
[lineage.producer]
job_namespace = "my-service-ns"
producer_uri = "https://example.org/my-service"
[lineage.store]
backend = "composite"
backends = ["document", "graph"]
[lineage.store.document]
collection_name = "audit_lineage_events"
document_connection_name = "default_mongo"
[lineage.store.graph]
graph_connection_name = "analytics_graph"
[connections.default_mongo]
uri = "mongodb://127.0.0.1:27017"
[connections.analytics_graph]
uri = "bolt://neo:s3cr3t@127.0.0.1:7687"
user = "neo"
password = "hunter2"
tls = true
"""


@pytest.fixture(autouse=True)
def _alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [name for name in os.environ if name.startswith("HEADWATER_")]:
        monkeypatch.delenv(name)
    monkeypatch.chdir(tmp_path)


def test_defaults() -> None:
    settings = Settings()
    assert settings.lineage.store.backend == "sql"
    assert settings.lineage.collector_topic == "platform.lineage.events"
    assert settings.lineage.collector.retry.policy().ladder_s == (5.0, 60.0, 600.0)
    assert settings.config_file is None


def test_the_file_as_documented(tmp_path: Path) -> None:
    (tmp_path / "headwater.toml").write_text(FILE)
    settings = Settings()
    assert settings.lineage.store.backends == ("document", "graph")
    assert settings.lineage.store.options("document") == {
        "collection_name": "audit_lineage_events",
        "document_connection_name": "default_mongo",
    }
    assert settings.lineage.producer.job_namespace == "my-service-ns"
    connection = settings.connection("analytics_graph", asked_by="x")
    assert connection.secret() == "hunter2"
    assert connection.model_extra == {"tls": True}
    assert settings.config_file == tmp_path / "headwater.toml"


def test_pyproject_in_a_directory_above(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "pyproject.toml").write_text('[tool.headwater.lineage]\ncollector_topic = "above"\n')
    below = tmp_path / "a" / "b"
    below.mkdir(parents=True)
    (below / "pyproject.toml").write_text("[tool.other]\nx = 1\n")
    monkeypatch.chdir(below)
    assert Settings().lineage.collector_topic == "above"


def test_argument_beats_environment_beats_file_beats_default(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "headwater.toml").write_text(FILE)
    monkeypatch.setenv("HEADWATER_STORE", "logging")
    monkeypatch.setenv("HEADWATER_LINEAGE__COLLECTOR__RETRY__LADDER_S", "1, 2")
    monkeypatch.setenv("HEADWATER_LINEAGE__STORE__SQL__URL", "sqlite:////x.db")
    monkeypatch.setenv("HEADWATER_CONNECTIONS__DEFAULT_MONGO__URI", "mongodb://other")
    monkeypatch.setenv("HEADWATER_SPOOL", "/not/ours")
    settings = Settings(lineage={"collector_topic": "argument", "store": {"backends": "a,b"}})
    assert settings.lineage.collector_topic == "argument"
    assert settings.lineage.store.backend == "logging"
    assert settings.lineage.store.backends == ("a", "b")
    assert settings.lineage.store.options("sql") == {"url": "sqlite:////x.db"}
    assert settings.lineage.store.options("document")["collection_name"] == "audit_lineage_events"
    assert settings.lineage.collector.retry.ladder_s == (1.0, 2.0)
    assert settings.connections["default_mongo"].uri == "mongodb://other"
    assert settings.lineage.url == "kafka://127.0.0.1:9092"


def test_a_named_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    named = tmp_path / "elsewhere.toml"
    named.write_text('[lineage]\ncollector_topic = "named"\n')
    assert Settings(config_file=named).lineage.collector_topic == "named"
    monkeypatch.setenv("HEADWATER_CONFIG", str(named))
    assert Settings().lineage.collector_topic == "named"
    monkeypatch.setenv("HEADWATER_CONFIG", str(tmp_path / "missing.toml"))
    with pytest.raises(ConfigurationError, match="no such file"):
        Settings()


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ('[lineage]\nenabled = "perhaps"', "lineage.enabled = 'perhaps': input should be a valid boolean"),
        ("[lineage.store]\nbackand = 'sql'", "lineage.store.backand = 'sql': unknown key; accepted are: backend,"),
        ("[lineage.colector]\ngroup = 'x'", "unknown key; did you mean collector?"),
        ("[lineage.collector]\nmax_records = 0", "lineage.collector.max_records = 0: input should be greater than"),
        ("[lineage.collector.retry]\nladder_s = [5, -1]", "lineage.collector.retry.ladder_s.1 = -1: input should be"),
        ("[connections.a]\nuser = 'x'", "connections.a.uri = None: is required"),
        ("[lineage.store]\nbackends = 3", "lineage.store.backends = 3: "),
        ("lineage = 3", "lineage = 3: "),
        ("lineage = ", "configuration file"),
        ("[unknown]", "unknown = {}: unknown key; accepted are: connections, lineage"),
    ],
)
def test_a_wrong_value_is_one_line_with_key_value_and_remedy(tmp_path: Path, text: str, told: str) -> None:
    (tmp_path / "headwater.toml").write_text(text)
    with pytest.raises(ConfigurationError) as caught:
        Settings()
    assert told in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_wrong_value_in_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HEADWATER_LINEAGE__STORE__DEADLINE_S", "soon")
    with pytest.raises(ConfigurationError, match=r"lineage\.store\.deadline_s = 'soon'"):
        Settings()


def test_secrets_do_not_show(tmp_path: Path) -> None:
    (tmp_path / "headwater.toml").write_text(FILE)
    settings = Settings(lineage={"store": {"sql": {"url": "postgresql://u:pa55@h/db", "api_key": "k3y"}}})
    for shown in (repr(settings), str(settings), repr(settings.connections), repr(settings.lineage)):
        for secret in ("hunter2", "s3cr3t", "pa55", "k3y"):
            assert secret not in shown
    assert "analytics_graph" in repr(settings)
    (tmp_path / "headwater.toml").write_text('[connections.a]\nuri = "x"\npassword = ["s3cr3t"]')
    with pytest.raises(ConfigurationError) as caught:
        Settings()
    assert "s3cr3t" not in str(caught.value)


def test_redaction_keeps_what_is_no_secret() -> None:
    value: Any = {"url": "bolt://u:p@h:1/x?y", "n": 1, "list": ["http://a:b@c"], "password": None, "ok": "a:b@c"}
    assert redacted(value) == {
        "url": "bolt://***@h:1/x?y",
        "n": 1,
        "list": ["http://***@c"],
        "password": None,
        "ok": "a:b@c",
    }


def test_an_unknown_connection_lists_the_known_ones(tmp_path: Path) -> None:
    (tmp_path / "headwater.toml").write_text(FILE)
    with pytest.raises(ConfigurationError, match=r"there are: analytics_graph, default_mongo"):
        Settings().connection("nope", asked_by="lineage.store.document.document_connection_name")


def test_a_default_option_gives_way_to_a_configured_one() -> None:
    assert Settings().with_default_option("sql", "url", "a").lineage.store.options("sql") == {"url": "a"}
    configured = Settings(lineage={"store": {"sql": {"url": "b"}, "deadline_s": 3}})
    changed = configured.with_default_option("sql", "url", "a")
    assert changed.lineage.store.options("sql") == {"url": "b"}
    assert changed.lineage.store.deadline_s == 3
