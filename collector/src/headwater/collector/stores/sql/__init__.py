"""The ``sql`` store: documents and graph on SQLite."""

from headwater.collector.stores.sql.store import SqlLineageStore

__all__ = ["SqlLineageStore"]
