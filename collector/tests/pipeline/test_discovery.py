"""Stores of other people's packages: installed beside headwater, found by name, given their location as it stands."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from headwater.collector.cli.starting import settings_for
from headwater.collector.manager import LineageManager
from headwater.collector.stores.registry import installed
from headwater.shared.errors import ConfigurationError

MODULE = '''
from headwater.collector.stores import MemoryLineageStore

print("imported")

class AcmeStore(MemoryLineageStore):
    """Writes the ids of events, a line each, to the file that is its location."""

    def __init__(self, *, location="nowhere", name="acme"):
        super().__init__(name=name)
        self.location = location

    async def write(self, batch):
        with open(self.location, "a") as file:
            file.writelines(f"{each.event.event_id}\\n" for each in batch)
'''
METADATA = "Metadata-Version: 2.1\nName: acme-lineage\nVersion: 1.2.3\n"
ENTRY_POINTS = "[headwater.stores]\nacme = acme_lineage:AcmeStore\nacme_second = acme_lineage:AcmeStore\n"
LOCATION = " acme://Ü ser:p%40ss@host:1/%2Fa b?x=1;y=$HOME&z='\"#~frag\\ "
NAMES = {"sql", "document", "graph", "openlineage", "logging", "composite", "acme", "acme_second"}


@pytest.fixture
def site(tmp_path: Path) -> Path:
    """A folder of installed packages, as pip leaves it, with one distribution in it."""
    folder = tmp_path / "site"
    info = folder / "acme_lineage-1.2.3.dist-info"
    info.mkdir(parents=True)
    (folder / "acme_lineage.py").write_text(MODULE)
    (info / "METADATA").write_text(METADATA)
    (info / "entry_points.txt").write_text(ENTRY_POINTS)
    (info / "RECORD").write_text("acme_lineage.py,,\n")
    return folder


@pytest.fixture
def acme(site: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Installed for this process, which has no other configuration."""
    for name in [name for name in os.environ if name.startswith("HEADWATER_")]:
        monkeypatch.delenv(name)
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(site)
    yield
    sys.modules.pop("acme_lineage", None)


def started(site: Path, *arguments: str, **environment: str) -> subprocess.Popen[str]:
    """The command in a process of its own."""
    kept = {key: value for key, value in os.environ.items() if not key.startswith("HEADWATER_")}
    path = os.pathsep.join(filter(None, [str(site), kept.get("PYTHONPATH")]))
    return subprocess.Popen(
        [sys.executable, "-m", "headwater.collector.cli", *arguments],
        env=kept | {"PYTHONPATH": path} | environment, cwd=site.parent, text=True,
        stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    )  # fmt: skip


def headwater(site: Path, *arguments: str, **environment: str) -> tuple[int, str, str]:
    """(status, standard output, standard error) of the command."""
    process = started(site, *arguments, **environment)
    out, errors = process.communicate(timeout=120)
    return process.returncode, out, errors


def test_the_command_lists_what_is_installed_and_imports_none_of_it(site: Path) -> None:
    _, out, _ = headwater(site, "stores", "--json")
    stores = {store["name"]: store for store in json.loads(out)["stores"]}
    assert stores.keys() == NAMES
    assert stores["acme"] == {
        "name": "acme",
        "object": "acme_lineage:AcmeStore",
        "package": "acme-lineage",
        "version": "1.2.3",
    }


@pytest.mark.usefixtures("acme")
def test_what_is_installed_while_we_run_is_found() -> None:
    assert {store.name for store in installed()} == NAMES
    assert "acme_lineage" not in sys.modules


@pytest.mark.usefixtures("acme")
@pytest.mark.parametrize(
    ("flag", "variable", "file", "used"),
    [
        ("acme", "logging", "acme_second", "acme"),
        (None, "acme", "acme_second", "acme"),
        (None, None, "acme_second", "acme_second"),
        (None, None, None, "sql"),
        ("acme", None, None, "acme"),
    ],
)
def test_flag_before_variable_before_file_before_default(
    flag: str | None,
    variable: str | None,
    file: str | None,
    used: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    if variable:
        monkeypatch.setenv("HEADWATER_STORE", variable)
    if file:
        Path("headwater.toml").write_text(f'[lineage.store]\nbackend = "{file}"\n')
    assert LineageManager(settings_for(False, flag)).get_store().name == used


def by_file(monkeypatch: pytest.MonkeyPatch) -> None:
    Path("headwater.toml").write_text(f"[lineage.store.acme]\nlocation = {json.dumps(LOCATION)}\n")


def by_variable(monkeypatch: pytest.MonkeyPatch) -> None:
    Path("headwater.toml").write_text('[lineage.store.acme]\nlocation = "of the file"\n')
    monkeypatch.setenv("HEADWATER_LINEAGE__STORE__ACME__LOCATION", LOCATION)


@pytest.mark.usefixtures("acme")
@pytest.mark.parametrize("said", [by_file, by_variable])
def test_the_location_is_passed_unchanged(said: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    said(monkeypatch)
    store: Any = LineageManager(settings_for(False, "acme")).get_store()
    assert store.location == LOCATION


@pytest.mark.usefixtures("acme")
def test_an_unknown_name_lists_the_installed_ones() -> None:
    with pytest.raises(ConfigurationError) as caught:
        LineageManager(settings_for(False, "acne"))
    assert "'acne': no such store is installed" in str(caught.value)
    assert f"installed are: {', '.join(sorted(NAMES))}" in str(caught.value)


@pytest.mark.parametrize("command", ["collect", "serve"])
def test_the_command_refuses_an_unknown_name(site: Path, command: str) -> None:
    log = (site.parent / "log").as_uri()
    status, _, errors = headwater(site, command, "--port", "0", "--url", log, "--store", "acne", HEADWATER_STORE="acme")
    assert status == 2
    assert "acne" in errors
    assert "acme_second" in errors


def test_a_worker_writes_to_it(site: Path, good: Any) -> None:
    """End to end: events in a log, a worker with the flag, lines in the file that is the location."""
    (site.parent / "events.json").write_bytes(b"\n".join(good(number) for number in range(3)))
    log, written = (site.parent / "log").as_uri(), site.parent / "ids of events"
    assert headwater(site, "emit", "events.json", "--url", log)[0] == 0
    environment = {"HEADWATER_STORE": "logging", "HEADWATER_LINEAGE__STORE__ACME__LOCATION": str(written)}
    worker = started(site, "collect", "--port", "0", "--url", log, "--store", "acme", **environment)
    try:
        for _ in range(600):
            if (written.exists() and written.read_text().count("\n") >= 3) or worker.poll() is not None:
                break
            time.sleep(0.1)
    finally:
        worker.terminate()
        _, errors = worker.communicate(timeout=60)
    assert written.exists(), errors
    assert len(set(written.read_text().split())) == 3
