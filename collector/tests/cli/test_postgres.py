"""The command line where the ``sql`` store is a PostgreSQL."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.servers.fixtures import *  # noqa: F403
from tests.servers.ports import free_port

from .conftest import Cli, story
from .processes import Command

URL = "HEADWATER_LINEAGE__STORE__SQL__URL"


def store_check(cli: Cli) -> dict[str, Any]:
    checks = json.loads(cli("doctor", "--port", free_port(), "--json").out)["checks"]
    found: dict[str, Any] = next(check for check in checks if check["check"] == "store sql")
    return found


def test_a_database_is_filled_by_up_and_read_beside_it(
    cli: Cli,
    start: Callable[..., Command],
    postgres_database: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv(URL, postgres_database)
    assert "no tables yet" in store_check(cli)["seen"]
    ended = cli("runs")
    assert ended.status == 2
    assert "no headwater tables" in ended.err
    (tmp_path / "story.ndjson").write_bytes(story())
    up = start("up", "--port", "0", "--dir", "data", **{URL: postgres_database})
    address = up.await_output(r"http://127\.0\.0\.1:\d+")
    assert cli("emit", tmp_path / "story.ndjson", "--url", address).status == 0
    by_api = cli("runs", "--api", address, "--json").json
    assert cli("runs", "--json").json == by_api
    assert by_api["runs"]
    assert re.fullmatch(r"[0-9a-f]{64}\n", cli("fingerprint").out)
    assert not (tmp_path / "data" / "headwater.db").exists()
    seen = store_check(cli)["seen"]
    assert seen.startswith("PostgreSQL 1")
    assert seen.endswith("tables are made")
    assert up.terminate() == 0


def test_a_server_that_is_not_there_is_told(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(URL, "postgresql://somebody:pa55word@127.0.0.1:1/none")
    ended = cli("runs")
    assert ended.status == 3
    assert "pa55word" not in ended.err + ended.out
    check = store_check(cli)
    assert check["verdict"] == "away"
    assert "pa55word" not in json.dumps(check)
