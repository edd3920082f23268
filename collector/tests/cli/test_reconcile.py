"""``headwater reconcile`` over two databases."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from tests.support.worlds import projected

from headwater.collector.stores.sql import SqlLineageStore

from .conftest import TWO_DATABASES, Cli, story

SOON = ("--grace", "0.1")
"""The events are not older than the default, which would be waited for."""


@pytest.fixture
def two(tmp_path: Path, cli: Cli) -> Path:
    """A configuration of two databases: the first holds the story, the second two events of it."""
    (tmp_path / "headwater.toml").write_text(TWO_DATABASES)
    events = [projected(line) for line in story().splitlines()]

    async def write() -> None:
        for name, some in {"first": events, "second": events[:2]}.items():
            store = SqlLineageStore(f"sqlite:///{tmp_path / name}.db")
            await store.open()
            await store.write(some)
            await store.close()

    asyncio.run(write())
    return tmp_path


def test_it_says_what_is_missing_and_repairs_it(cli: Cli, two: Path) -> None:
    dry = cli("reconcile", "--dry-run", *SOON)
    assert dry.status == 1
    assert dry.out.splitlines() == [
        "first: holds 8 events, lacks none", "second: holds 2 events, lacks 6", "the stores differ",
    ]  # fmt: skip
    done = cli("reconcile", *SOON)
    assert done.status == 0
    assert done.out.splitlines()[1:] == ["second: holds 2 events, lacked 6, 6 repaired", "the stores agree now"]
    again = cli("reconcile", "--json", *SOON)
    assert again.status == 0
    assert again.json["stores"]["second"] == {"held": 8, "lacked": 0, "repaired": 0, "refused": 0}
    assert again.json["agree"] is True


def test_one_store_has_nothing_to_be_compared_with(cli: Cli, told: Path) -> None:
    done = cli("reconcile", "--dir", told)
    assert done.status == 0
    assert done.out.startswith("nothing to compare")


def test_no_such_store_and_no_data(cli: Cli, two: Path) -> None:
    wrong = cli("reconcile", "--store", "third")
    assert (wrong.status, "first, second" in wrong.err) == (2, True)
    (two / "headwater.toml").unlink()
    assert cli("reconcile").status == 2


def test_a_store_that_is_down(cli: Cli, two: Path) -> None:
    (two / "headwater.toml").write_text(TWO_DATABASES.replace("sqlite:///second.db", "sqlite:////proc/none/second.db"))
    done = cli("reconcile", "--json")
    assert done.status in {2, 3}
    assert done.out == ""
