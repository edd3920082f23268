"""One order: argument, environment, file, default. A wrong value is one clear line."""

from __future__ import annotations

from pathlib import Path

import pytest

from headwater.producer import ConfigurationError, LineageProducer, configure, emit, run, stats, track_lineage
from headwater.producer._settings import resolve

FILE = """
[lineage]
url = "http://file:1"
collector_topic = "topic-of-file"
[lineage.producer]
job_namespace = "of-file"
spool_max_bytes = "64MiB"
[lineage.store]
backend = "sql"
[connections.x]
uri = "y"
"""


def test_defaults(tmp_path: Path) -> None:
    settings = resolve({}, {"XDG_STATE_HOME": "/state"})
    assert settings.enabled
    assert settings.urls == ()
    assert settings.topic == "platform.lineage.events"
    assert settings.job_namespace == "default"
    assert settings.spool_dir.startswith("/state/headwater/spool/")
    assert settings.spool_max_bytes == 256 * 2**20
    home = resolve({"application": "a/b c"}, {"XDG_STATE_HOME": "relative"}).spool_dir
    assert home.endswith("/.local/state/headwater/spool/a_b_c")


def test_the_order(tmp_path: Path) -> None:
    (tmp_path / "headwater.toml").write_text(FILE)
    environ = {"HEADWATER_URL": "http://env:2", "HEADWATER_NAMESPACE": "of-env"}
    assert resolve({}, {}, str(tmp_path)).urls == ("http://file:1",)
    assert resolve({}, {}, str(tmp_path)).spool_max_bytes == 64 * 2**20
    from_environment = resolve({}, environ, str(tmp_path))
    assert from_environment.urls == ("http://env:2",)
    assert from_environment.job_namespace == "of-env"
    assert from_environment.topic == "topic-of-file"
    argued = resolve({"url": "http://arg:3", "job_namespace": None}, environ, str(tmp_path))
    assert argued.urls == ("http://arg:3",)
    assert argued.job_namespace == "of-env"


def test_openlineages_own_variables_come_after_ours() -> None:
    environ = {"OPENLINEAGE_URL": "http://ol:1", "OPENLINEAGE_NAMESPACE": "ol", "OPENLINEAGE_API_KEY": "k"}
    settings = resolve({}, environ)
    assert (settings.urls, settings.job_namespace, settings.api_key) == (("http://ol:1",), "ol", "k")
    assert resolve({}, {**environ, "HEADWATER_URL": "http://hw:1"}).urls == ("http://hw:1",)


def test_the_file_is_found_upwards_to_the_top_of_the_project(tmp_path: Path) -> None:
    (tmp_path / "headwater.toml").write_text(FILE)
    project = tmp_path / "project"
    below = project / "a" / "b"
    below.mkdir(parents=True)
    assert resolve({}, {}, str(below)).job_namespace == "of-file"
    (project / ".git").mkdir()
    assert resolve({}, {}, str(below)).job_namespace == "default"
    (project / "pyproject.toml").write_text(
        '[project]\nname = "x"\n[tool.headwater.lineage.producer]\njob_namespace = "p"\n'
    )
    assert resolve({}, {}, str(below)).job_namespace == "p"
    named = tmp_path / "other.toml"
    named.write_text('[lineage.producer]\njob_namespace = "named"\n')
    assert resolve({}, {"HEADWATER_CONFIG": str(named)}, str(below)).job_namespace == "named"


@pytest.mark.parametrize(
    ("environ", "enabled"),
    [
        ({}, True),
        ({"HEADWATER_DISABLED": "1"}, False),
        ({"HEADWATER_DISABLED": "TRUE"}, False),
        ({"HEADWATER_DISABLED": "0"}, True),
        ({"HEADWATER_DISABLED": ""}, True),
        ({"OPENLINEAGE_DISABLED": "true"}, False),
        ({"HEADWATER_DISABLED": "0", "OPENLINEAGE_DISABLED": "true"}, False),
    ],
)
def test_turned_off_by_the_environment(environ: dict[str, str], enabled: bool) -> None:
    assert resolve({}, environ).enabled is enabled
    assert resolve({"enabled": True}, environ).enabled


def test_turned_off_by_the_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / "headwater.toml").write_text('[lineage]\nenabled = false\nurl = "memory:"\n')
    assert not emit({"n": 1})
    assert stats().emitted == 0
    assert caplog.records == []


def test_unconfigured_is_a_no_op_with_one_warning(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    @track_lineage("job")
    def work() -> int:
        return 1

    assert work() == 1
    assert not emit({"n": 1})
    with run("x"):
        pass
    (record,) = caplog.records
    assert record.name == "headwater"
    assert "HEADWATER_URL" in record.getMessage()
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("environ", "said"),
    [
        ({"HEADWATER_DISABLED": "maybe"}, "HEADWATER_DISABLED = 'maybe': use true or false"),
        ({"HEADWATER_SPOOL_MAX_BYTES": "lots"}, "HEADWATER_SPOOL_MAX_BYTES = 'lots': give a number of bytes"),
        ({"HEADWATER_SPOOL_MAX_BYTES": "0"}, "HEADWATER_SPOOL_MAX_BYTES = '0': give a number of bytes"),
        ({"HEADWATER_EXIT_TIMEOUT_S": "-1"}, "HEADWATER_EXIT_TIMEOUT_S = '-1': give a number of seconds"),
        ({"HEADWATER_CONFIG": "/nowhere.toml"}, "HEADWATER_CONFIG = '/nowhere.toml': no such file"),
        ({"HEADWATER_URL": "gopher://x"}, "url = 'gopher://x': use http(s)://host:port"),
        ({"HEADWATER_URL": "memory:", "HEADWATER_JSON": "xml"}, "HEADWATER_JSON = 'xml': use stdlib or orjson"),
    ],
)
def test_wrong_values_in_the_environment(
    environ: dict[str, str], said: str, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    for name, value in environ.items():
        monkeypatch.setenv(name, value)
    assert not emit({"n": 1})
    assert not emit({"n": 2})
    (record,) = caplog.records
    assert said in record.getMessage()
    assert "\n" not in record.getMessage()
    with pytest.raises(ConfigurationError) as error:
        configure()
    assert str(error.value).startswith(said)


@pytest.mark.parametrize(
    ("toml", "said"),
    [
        ("[lineage]\nenabled = 3\n", "lineage.enabled = 3: use true or false"),
        ("[lineage]\nurls = 'x'\n", "lineage.urls = 'x': no such key"),
        ("[lineage.producer]\nspool = 'x'\n", "lineage.producer.spool = 'x': no such key"),
        ("lineage = 3\n", "have to be tables"),
        ("[lineage", "is no TOML"),
        ("[lineage]\nurl = ''\n", "lineage.url = '': give a URL"),
        ("[lineage]\nurl = [3]\n", "lineage.url = [3]: give a URL"),
    ],
)
def test_wrong_values_in_the_file(tmp_path: Path, toml: str, said: str) -> None:
    (tmp_path / "headwater.toml").write_text(toml)
    with pytest.raises(ConfigurationError) as error:
        configure()
    assert said in str(error.value)
    assert "\n" not in str(error.value)


def test_wrong_arguments() -> None:
    with pytest.raises(ConfigurationError, match="spool_max_bytes = -5"):
        configure(url="memory:", spool_max_bytes=-5)
    with pytest.raises(ConfigurationError, match=r"uri = 'x': no such setting; there are api_key"):
        LineageProducer(uri="x")


def test_a_wrong_configure_leaves_everything_as_it_was(tmp_path: Path) -> None:
    configure(url="memory:", spool_dir=tmp_path / "spool")
    with pytest.raises(ConfigurationError):
        configure(url="nonsense")
    assert emit({"n": 1})


def test_configure_again_sends_what_was_spooled_before(tmp_path: Path) -> None:
    from headwater.producer import flush
    from headwater.producer.testing import MemoryTransport
    from headwater.shared.errors import TransientError

    first, second = MemoryTransport(), MemoryTransport()
    first.script = [TransientError("down")] * 100
    configure(transport=first, spool_dir=tmp_path / "spool")
    emit({"n": 1})
    configure(transport=second, spool_dir=tmp_path / "spool")
    assert flush()
    assert second.events == [b'{"n":1}']


def test_sizes() -> None:
    for text, size in (("1", 1), ("10 KiB", 10240), ("2MB", 2_000_000), ("1GiB", 2**30), (5, 5)):
        assert resolve({"spool_max_bytes": text}, {}).spool_max_bytes == size
