"""Stores by name, and the manager that builds them."""

from __future__ import annotations

from importlib.metadata import EntryPoint
from typing import Any

import pytest

from headwater.collector.manager import LineageManager
from headwater.collector.settings import ConnectionSettings, Settings
from headwater.collector.stores import CompositeLineageStore, LoggingLineageStore, MemoryLineageStore, SqlLineageStore
from headwater.collector.stores.registry import GROUP, build_store, installed
from headwater.shared.errors import ConfigurationError


class Connected(MemoryLineageStore):
    """Takes a connection, as a store for a server does."""

    def __init__(self, *, collection_name: str, connection: ConnectionSettings, name: str) -> None:
        super().__init__(name=name)
        self.collection_name, self.connection = collection_name, connection


def _entry(name: str, attribute: str) -> EntryPoint:
    return EntryPoint(name, attribute, GROUP)


ENTRIES = [
    _entry("memory", "headwater.collector.stores:MemoryLineageStore"),
    _entry("broken", "headwater.no_such_module:Store"),
    _entry("number", "math:pi"),
    _entry("object", "types:SimpleNamespace"),
]


def _settings(**store: Any) -> Settings:
    return Settings(lineage={"store": store}, connections={"main": {"uri": "mongodb://h", "password": "p"}})


def test_the_installed_ones_say_where_they_come_from() -> None:
    found = {store.name: store for store in installed()}
    assert {"sql", "logging", "composite"} <= set(found)
    assert found["sql"].distribution == "headwater-collector"
    assert found["sql"].version
    assert found["sql"].target == "headwater.collector.stores:SqlLineageStore"


def test_an_unknown_name_lists_the_installed_ones() -> None:
    with pytest.raises(ConfigurationError, match=r"'nope': no such store is installed; installed are: broken, memory"):
        build_store("nope", _settings(), ENTRIES)


def test_options_become_keywords_and_unknown_ones_are_named() -> None:
    settings = _settings(sql={"url": "sqlite:////tmp/x.db"}, logging={"stream": "stdout", "colour": 1})
    assert isinstance(build_store("sql", settings), SqlLineageStore)
    with pytest.raises(
        ConfigurationError, match=r"lineage\.store\.logging\.colour = 1: unknown key; accepted are: stream"
    ):
        build_store("logging", settings)


def test_a_connection_is_looked_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(EntryPoint, "load", lambda self: Connected)
    entries = [_entry("document", "x:Connected")]
    table = {"collection_name": "c", "document_connection_name": "main"}
    store = build_store("document", _settings(document=table), entries)
    assert isinstance(store, Connected)
    assert (store.name, store.connection.uri, store.connection.secret()) == ("document", "mongodb://h", "p")
    with pytest.raises(ConfigurationError, match=r"document_connection_name = 'gone'.*there are: main"):
        build_store("document", _settings(document={**table, "document_connection_name": "gone"}), entries)
    with pytest.raises(ConfigurationError, match="collection_name"):
        build_store("document", _settings(document={"document_connection_name": "main"}), entries)


def test_one_kind_of_store_under_two_names() -> None:
    store = build_store("second", _settings(second={"type": "memory"}), ENTRIES)
    assert (type(store), store.name) == (MemoryLineageStore, "second")


@pytest.mark.parametrize(
    ("name", "told"),
    [("broken", "cannot be imported"), ("number", "neither a class nor a function"), ("object", "is no store")],
)
def test_a_bad_entry_point_is_a_clear_error(name: str, told: str) -> None:
    with pytest.raises(ConfigurationError, match=told):
        build_store(name, _settings(), ENTRIES)


def test_two_packages_with_one_name() -> None:
    entries = [*ENTRIES, _entry("memory", "other:Store")]
    with pytest.raises(ConfigurationError, match="two packages claim this name"):
        build_store("memory", _settings(), entries)


async def test_the_manager_builds_one_store_or_a_composite(tmp_path: Any) -> None:
    single = LineageManager(_settings(backend="logging"))
    assert isinstance(single.get_store(), LoggingLineageStore)
    assert list(single.stores.members) == ["logging"]
    url = f"sqlite:///{tmp_path}/h.db"
    async with LineageManager(_settings(backend="composite", backends=["sql", "logging"], sql={"url": url})) as manager:
        store = manager.get_store()
        assert isinstance(store, CompositeLineageStore)
        assert list(store.members) == ["sql", "logging"]
        assert manager.stores is store
        assert manager.reader() is not None
    await manager.stop()


def test_a_manager_says_what_is_wrong() -> None:
    with pytest.raises(ConfigurationError, match="name the stores"):
        LineageManager(_settings(backend="composite"))
    with pytest.raises(ConfigurationError, match="name the stores"):
        LineageManager(_settings(backend="composite", backends=["composite"]))
    with pytest.raises(ConfigurationError, match="installed are"):
        LineageManager(_settings(backend="mongo"))
    with pytest.raises(ConfigurationError, match="none of these stores can be read"):
        LineageManager(_settings(backend="logging")).reader()
