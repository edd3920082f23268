"""``headwater sync``: dead letters to the stores that lack them, and copies from store to store."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

import pytest
from tests.support.worlds import projected

from headwater.collector.pipeline.letters import Failure, fresh
from headwater.collector.stores.sql import SqlLineageStore
from headwater.shared.log import Record
from headwater.shared.log.local import LocalLog

from .conftest import TWO_DATABASES, Cli, story

TOPIC = "platform.lineage.events"
EVENTS = story().splitlines()


async def ids(path: Path) -> set[str]:
    store = SqlLineageStore(f"sqlite:///{path}", read_only=True)
    await store.open()
    try:
        return {event_id async for event_id in store.reader().event_ids()}
    finally:
        await store.close()


def held(path: Path) -> set[str]:
    return asyncio.run(ids(path))


def id_of(raw: bytes) -> str:
    return projected(raw).event.event_id


def test_a_copy_is_whole_and_again_nothing(cli: Cli, told: Path, tmp_path: Path) -> None:
    target = f"sqlite:///{tmp_path / 'copy' / 'headwater.db'}"
    dry = cli("sync", "--to", target, "--dir", told, "--dry-run")
    assert (dry.status, dry.out) == (2, "")  # a database that is not there cannot be read
    done = cli("sync", "--to", target, "--dir", told)
    assert (done.status, done.out.splitlines()[-1]) == (0, "to: 8 lacked, 8 written")
    assert cli("fingerprint", "--dir", tmp_path / "copy").out == cli("fingerprint", "--dir", told).out
    again = cli("sync", "--to", target, "--dir", told, "--json")
    assert (again.status, again.json["stores"]["to"]["lacked"], again.json["complete"]) == (0, 0, True)


def test_a_store_that_cannot_be_read_gets_everything(cli: Cli, told: Path) -> None:
    done = cli("sync", "--from", f"sqlite:///{told / 'headwater.db'}", "--to", "logging")
    assert done.status == 0
    lines = [line for line in (done.out + done.err).splitlines() if line.startswith("{")]
    assert len(lines) == 8
    assert "logging: 8 lacked, 8 written" in done.out


def test_wrong_usage(cli: Cli, told: Path) -> None:
    for arguments in (
        ["--from", "sql"],
        ["--to", "sql", "--store", "sql"],
        ["--to", "ftp://host", "--dir", told],
        ["--to", "nothing", "--dir", told],
        ["--from", "logging", "--to", "sqlite:///x.db"],
    ):
        assert cli("sync", *arguments).status == 2, arguments


@pytest.fixture
def letters(cli: Cli, tmp_path: Path) -> Path:
    """Two databases; dead letters of four events, the first two for the second store, one for both and one for a store
    that is not configured. And one that is no event."""
    (tmp_path / "headwater.toml").write_text(TWO_DATABASES)

    async def write() -> None:
        log = LocalLog(tmp_path / "data" / "log")
        await log.open()
        await log.append(TOPIC, [Record(raw) for raw in EVENTS])
        stored = await log.read(TOPIC, 0, max_records=100)
        lacking = [("second",), ("second",), ("first", "second"), ("third",)]
        failures = [Failure("retries_exhausted", "write", "down", failed_stores=names) for names in lacking]
        await log.append(
            f"{TOPIC}.dlq",
            [
                fresh(record).sealed(failure, now_ms=0)
                for record, failure in zip(stored, [*failures, Failure("not_json", "decode", "no")], strict=False)
            ],
        )
        await log.close()

    asyncio.run(write())
    return tmp_path / "data"


def test_dead_letters_reach_the_stores_that_lacked_them(cli: Cli, letters: Path, tmp_path: Path) -> None:
    dry = cli("sync", "--dir", letters, "--dry-run", "--json")
    assert dry.json == {"complete": True, "dryRun": True, "examples": [], "left": 0, "letters": 3, "stored": 0}
    done = cli("sync", "--dir", letters)
    assert (done.status, done.out) == (0, "3 of 3 dead letters written to the stores that lacked them\n")
    assert held(tmp_path / "first.db") == {id_of(EVENTS[2])}
    assert held(tmp_path / "second.db") == {id_of(raw) for raw in EVENTS[:3]}
    listed = cli("dlq", "list", "--dir", letters, "--json").json["letters"]
    assert [(each["reason"], each["failedStores"]) for each in listed] == [
        ("retries_exhausted", ["third"]),
        ("not_json", []),
    ]
    assert cli("sync", "--dir", letters).out == "no dead letter names a configured store\n"


def test_only_one_store(cli: Cli, letters: Path, tmp_path: Path) -> None:
    assert cli("sync", "--dir", letters, "--store", "first").status == 0
    assert held(tmp_path / "first.db") == {id_of(EVENTS[2])}
    assert held(tmp_path / "second.db") == set()
    open_letters = cli("dlq", "list", "--dir", letters, "--json").json["letters"]
    assert len(open_letters) == 5  # the one for both is still lacking in the second
    assert json.loads(cli("sync", "--dir", letters, "--json").out)["stored"] == 3
