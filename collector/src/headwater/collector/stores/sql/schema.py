"""The tables: documents, base facts, and what is derived from them in the same transaction.

Base facts are the ones that ``headwater.collector.facts`` defines; the fingerprint hashes them alone. Derived columns
and tables are functions of base facts, kept ready for the questions that must not cost more as history grows.
"""

from __future__ import annotations

from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    SmallInteger,
    Table,
    Text,
    text,
)

metadata = MetaData()

SCHEMA_VERSION = 5
"""Raised when the tables change shape; a graph of another version is rebuilt from its documents."""

_KEY = LargeBinary(16)


def _key(name: str, *, primary: bool = False, nullable: bool = False) -> Column[bytes]:
    return Column(name, _KEY, primary_key=primary, nullable=nullable)


def _text(name: str, *, primary: bool = False, nullable: bool = False) -> Column[str]:
    return Column(name, Text, primary_key=primary, nullable=nullable)


def _small(name: str, *, primary: bool = False, nullable: bool = False) -> Column[int]:
    return Column(name, SmallInteger, primary_key=primary, nullable=nullable)


meta = Table("meta", metadata, _text("name", primary=True), _text("value"))

document = Table(
    "document",
    metadata,
    Column("seq", BigInteger().with_variant(Integer, "sqlite"), primary_key=True, autoincrement=True),
    Column("event_id", _KEY, nullable=False, unique=True),
    _text("kind"),
    _text("type", nullable=True),
    _text("event_time"),
    _key("run", nullable=True),
    _key("job", nullable=True),
    _text("received_at"),
    _text("problems", nullable=True),
    Column("raw", LargeBinary, nullable=False),
    Index("document_time", "event_time", "seq", "type"),
    Index("document_run", "run"),
    Index("document_job", "job", "event_time"),
)

audit_seal = Table(
    "audit_seal",
    metadata,
    Column("number", BigInteger().with_variant(Integer, "sqlite"), primary_key=True, autoincrement=False),
    _text("kind"),
    Column("previous", LargeBinary(32), nullable=False),
    _text("sealed_at"),
    Column("through", BigInteger, nullable=False),
    Column("present", BigInteger, nullable=False),
    _text("reason"),
    Column("entries", LargeBinary, nullable=False),
    Column("hash", LargeBinary(32), nullable=False),
)

# Base facts.

job = Table(
    "job",
    metadata,
    _key("key", primary=True),
    _text("namespace"),
    _text("name"),
    _text("first_time"),
    _text("last_time"),
    _text("edges_since", nullable=True),  # derived: edges seen since then are current (rule 8)
    _text("deleted", nullable=True),  # derived: hidden while not seen later
    Index("job_name", "namespace", "name"),
    Index("job_recent", "last_time"),
    Index("job_of_namespace", "namespace", "last_time"),
    Index("job_deleted", "namespace", "deleted", "last_time", sqlite_where=text("deleted IS NOT NULL")),
    Index("job_first", "first_time"),
    sqlite_with_rowid=False,
)

dataset = Table(
    "dataset",
    metadata,
    _key("key", primary=True),
    _text("namespace"),
    _text("name"),
    _text("first_time", nullable=True),
    _text("last_time", nullable=True),  # null: only named, never listed or described
    Column("carrier", Boolean, nullable=False, default=False),  # derived: carries a symlinks facet
    _text("deleted", nullable=True),  # derived: hidden while not seen later
    Index("dataset_name", "namespace", "name", "first_time"),  # the last so that counting needs no more
    Index(
        "dataset_deleted",
        "namespace",
        "deleted",
        "last_time",
        "first_time",
        sqlite_where=text("deleted IS NOT NULL"),
    ),
    Index("dataset_first", "first_time"),
    sqlite_with_rowid=False,
)

run = Table(
    "run",
    metadata,
    _key("run", primary=True),
    _text("first_time", nullable=True),
    _text("last_time", nullable=True),
    _small("job_rank"),
    _text("job_time"),
    _key("job_event"),
    _key("job"),
    # Derived (rules 1, 2, 6, 9, 11):
    _text("state", nullable=True),
    Column("contradiction", Boolean, nullable=True),
    _text("started", nullable=True),
    _text("ended", nullable=True),
    _text("pin_time", nullable=True),
    _text("nominal_start", nullable=True),
    _text("logical_key", nullable=True),
    _key("parent", nullable=True),
    _key("root", nullable=True),
    Index("run_recent", "first_time", "run"),
    Index("run_job", "job", "first_time", "run"),
    Index("run_state_recent", "state", "first_time", "run"),
    Index("run_logical", "logical_key", "first_time", "run", sqlite_where=text("logical_key IS NOT NULL")),
    Index("run_parent", "parent", "first_time", "run", sqlite_where=text("parent IS NOT NULL")),
    sqlite_with_rowid=False,
)

run_state = Table(
    "run_state",
    metadata,
    _key("run", primary=True),
    _text("time", primary=True),
    _text("type", primary=True),
    sqlite_with_rowid=False,
)

run_io = Table(
    "run_io",
    metadata,
    _key("run", primary=True),
    _small("side", primary=True),
    _key("dataset", primary=True),
    _text("version", primary=True),
    _text("time"),
    _text("commit_time", nullable=True),
    _text("pin_time", nullable=True),  # derived, from the run's row
    Index("run_io_read", "dataset", "side", "version", "pin_time"),
    sqlite_with_rowid=False,
)

facet = Table(
    "facet",
    metadata,
    _key("owner", primary=True),  # the run, job or dataset
    _small("scope", primary=True),
    _key("dataset", primary=True),  # of an input or output; else empty
    _text("version", primary=True),
    _text("name", primary=True),
    _text("time"),
    _key("event_id"),
    _key("value", nullable=True),
    Index("facet_source", "value", "time", sqlite_where=text("name = 'dataSource' AND scope = 3")),
    sqlite_with_rowid=False,
)

facet_value = Table(
    "facet_value",
    metadata,
    _key("key", primary=True),
    Column("value", LargeBinary, nullable=False),
)

design_io = Table(
    "design_io",
    metadata,
    _key("job", primary=True),
    _small("side", primary=True),
    _text("time"),
    _key("event_id"),
    _text("datasets"),
    sqlite_with_rowid=False,
)

lifecycle = Table(
    "lifecycle",
    metadata,
    _key("dataset", primary=True),
    _text("time", primary=True),
    _text("change", primary=True),
    _key("previous", primary=True),
    _key("run", primary=True),  # run empty: a base fact, from a DatasetEvent; else derived
    Index("lifecycle_previous", "previous"),
    Index("lifecycle_run", "run"),
    sqlite_with_rowid=False,
)

mark = Table(
    "mark",
    metadata,
    _key("dataset", primary=True),
    _text("version", primary=True),
    _text("kind", primary=True),
    _text("time", primary=True),
    _key("event_id", primary=True),
    Column("stands", Boolean, nullable=False),
    _text("reason", nullable=True),
    _text("author", nullable=True),
    sqlite_with_rowid=False,
)

want = Table(
    "want",
    metadata,
    _key("want", primary=True),
    _text("time"),
    _key("event_id"),
    _text("partitions"),
    _text("comment", nullable=True),
    sqlite_with_rowid=False,
)

want_run = Table(
    "want_run",
    metadata,
    _key("want", primary=True),
    _small("role", primary=True),  # or ``wants.BOTH``: derived
    _key("run", primary=True),
    Index("want_run_run", "run", "role", "want"),
    sqlite_with_rowid=False,
)

# Derived facts.

generation = Table(
    "generation",
    metadata,
    _key("dataset", primary=True),
    _text("version", primary=True),
    _key("run", primary=True),
    _text("commit_time", nullable=True),
    Index("generation_current", "dataset", "commit_time", "version"),
    Index("generation_run", "run"),
    sqlite_with_rowid=False,
)

job_edge = Table(
    "job_edge",
    metadata,
    _key("job", primary=True),
    _small("side", primary=True),
    _key("dataset", primary=True),
    _text("last_time"),
    Index("job_edge_recent", "job", "last_time"),
    Index("job_edge_dataset", "dataset", "side"),
    sqlite_with_rowid=False,
)

symlink = Table(
    "symlink",
    metadata,
    _key("dataset", primary=True),
    _key("other", primary=True),
    Index("symlink_other", "other"),
    sqlite_with_rowid=False,
)

namespace = Table(
    "namespace",
    metadata,
    _key("key", primary=True),
    _text("name"),
    _text("first_time"),
    _text("arrived_time"),  # the event time of what came first: for show alone
    _text("deleted", nullable=True),  # up to when
    sqlite_with_rowid=False,
)

touched = Table(
    "touched",
    metadata,
    _key("key", primary=True),  # a job or dataset; empty: all of them
    Column("stamp", BigInteger, nullable=False),
    sqlite_with_rowid=False,
)
