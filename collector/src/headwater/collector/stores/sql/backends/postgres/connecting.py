"""Engines for PostgreSQL: how sessions are set up."""

from __future__ import annotations

from typing import Any, Final

import psycopg
from psycopg.adapt import Dumper
from psycopg.pq import Format
from sqlalchemy import create_engine, event
from sqlalchemy.engine import URL, Engine
from sqlalchemy.pool import QueuePool

from headwater.collector.stores.sql.arrays import ARRAYS, PackedArray
from headwater.collector.stores.sql.backends.guard import hold_in_this_thread

CONNECT_TIMEOUT_S: Final = 5
READERS: Final = 4
MAX_PREPARED: Final = 300
"""Statements that the server keeps for one connection: those used last. A question has some forty."""
_DEFAULTS: Final[dict[str, Any]] = {
    "connect_timeout": CONNECT_TIMEOUT_S,
    "keepalives_idle": 10,
    "keepalives_interval": 5,
    "keepalives_count": 3,
}
"""Unless the URL says otherwise."""


def make_engine(url: URL, *, application: str, writing: bool, timeout_s: float) -> Engine:
    """Connects when first used; a writer has one connection, readers have four."""
    defaults = {key: value for key, value in _DEFAULTS.items() if key not in url.query}
    if "application_name" not in url.query:
        defaults["application_name"] = application
    engine = create_engine(
        url.set(drivername="postgresql+psycopg"),
        paramstyle="format",
        poolclass=QueuePool,
        pool_size=1 if writing else READERS,
        max_overflow=0,
        pool_timeout=timeout_s,
        pool_use_lifo=True,  # who was used last has its plans and caches warm
        pool_reset_on_return=None,  # every use ends its transaction itself, while it is guarded
        connect_args={**defaults, "client_encoding": "utf8", "prepare_threshold": 0},
    )
    settings = _session(writing, timeout_s)

    @event.listens_for(engine, "do_connect")
    def _connect(_dialect: Any, _record: Any, args: Any, options: Any) -> Any:
        connection = psycopg.connect(*args, **options)
        try:
            hold_in_this_thread(connection)
            _set_up(connection, settings, writing)
        except BaseException:
            connection.close()
            raise
        return connection

    return engine


def _set_up(connection: psycopg.Connection[Any], settings: dict[str, str], writing: bool) -> None:
    for dumper in _DUMPERS:
        connection.adapters.register_dumper(dumper.packs, dumper)
    connection.execute(
        f"SELECT {', '.join(['set_config(%s, %s, false)'] * len(settings))}",
        [text for pair in settings.items() for text in pair],
    )
    connection.execute(_COMPRESSION)
    if writing:
        connection.execute(_DURABLE)
    connection.commit()
    connection.prepared_max = MAX_PREPARED


def _session(writing: bool, timeout_s: float) -> dict[str, str]:
    milliseconds = str(int(timeout_s * 1000))
    common = {
        "statement_timeout": milliseconds,
        "lock_timeout": milliseconds,
        "jit": "off",  # for a short statement it costs more than it gains
        "bytea_output": "hex",
    }
    if not writing:
        return common | {
            "default_transaction_isolation": "repeatable read",  # all fetches of a question see one state
            "default_transaction_read_only": "on",
        }
    return common | {
        "default_transaction_isolation": "read committed",  # a statement after a lock sees what its holder committed
        "idle_in_transaction_session_timeout": milliseconds,  # a stopped collector shall not hold the others up
        # Each statement looks up the rows of a batch by their keys. That is by index, however small the statistics
        # of a young table say that it is, and planned once.
        "enable_seqscan": "off",
        "enable_hashjoin": "off",
        "enable_mergejoin": "off",
        "plan_cache_mode": "force_generic_plan",
    }


_COMPRESSION = (
    "SELECT set_config('default_toast_compression', 'lz4', false) FROM pg_settings "
    "WHERE name = 'default_toast_compression' AND 'lz4' = ANY (enumvals)"
)
_DURABLE = (  # a commit is on the disk before the offset is
    "SELECT set_config('synchronous_commit', 'on', false) WHERE current_setting('synchronous_commit') = 'off'"
)


class _PackedDumper(Dumper):
    """Passes on what is packed already."""

    format = Format.BINARY
    packs: type[PackedArray]

    def dump(self, obj: PackedArray) -> bytes:
        return obj.data


def _dumper_of(array: type[PackedArray]) -> type[_PackedDumper]:
    return type(f"_{array.__name__}Dumper", (_PackedDumper,), {"packs": array, "oid": array.oid})


_DUMPERS = [_dumper_of(array) for array in ARRAYS]
