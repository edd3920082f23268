"""Checks of this machine: the directory, its disk, Python's SQLite and JSON, the port."""

from __future__ import annotations

import os
import shutil
import socket
import sqlite3
import tempfile
from importlib.util import find_spec
from pathlib import Path

from .check import Check, away, ok, wrong

MIN_FREE_BYTES = 1 << 30
MIN_SQLITE = (3, 35, 0)
"""The first with RETURNING and with upserts as the store uses them."""


def directory(path: Path) -> Check:
    """It can be made, or written to."""
    try:
        if not path.exists():
            parent = next(one for one in path.resolve().parents if one.exists())
            if not os.access(parent, os.W_OK | os.X_OK):
                return wrong(
                    "directory", f"{path} cannot be made: {parent} is not writable", "choose another with --dir"
                )
            return ok("directory", f"{path.resolve()} does not exist yet; `headwater up` makes it")
        with tempfile.TemporaryFile(dir=path):
            pass
    except OSError as error:
        return wrong("directory", f"{path}: {error.strerror}", "make it writable, or choose another with --dir")
    return ok("directory", f"{path.resolve()} is writable")


def disk(path: Path) -> Check:
    """There is room for the log and the database."""
    existing = next(one for one in (path.resolve(), *path.resolve().parents) if one.exists())
    usage = shutil.disk_usage(existing)
    seen = f"{size_text(usage.free)} free of {size_text(usage.total)}"
    if usage.free < MIN_FREE_BYTES:
        return wrong(
            "disk", seen, f"free some space: less than {size_text(MIN_FREE_BYTES)} is left for log and database"
        )
    return ok("disk", seen)


def sqlite(path: Path) -> Check:
    """The library is new enough and the database, if there is one, is sound to open and in WAL mode."""
    seen = f"SQLite {sqlite3.sqlite_version}"
    if sqlite3.sqlite_version_info < MIN_SQLITE:
        return wrong("sqlite", seen, f"use a Python with SQLite {'.'.join(map(str, MIN_SQLITE))} or newer")
    database = path / "headwater.db"
    if not database.is_file():
        return ok("sqlite", f"{seen}, no database yet")
    try:
        connection = sqlite3.connect(f"{database.resolve().as_uri()}?mode=ro", uri=True, timeout=5)
        try:
            mode = connection.execute("PRAGMA journal_mode").fetchone()[0]
            connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
        finally:
            connection.close()
    except sqlite3.Error as error:
        remedy = f"move {database} away and run `headwater up`; producers and the log still have what is not settled"
        return wrong("sqlite", f"{database}: {error}", remedy)
    if mode != "wal":
        return wrong(
            "sqlite", f"{seen}, journal mode {mode}", "start `headwater up` once: it sets WAL (no network file system)"
        )
    return ok("sqlite", f"{seen}, WAL, {size_text(database.stat().st_size)}")


def json_engine() -> Check:
    """orjson, or the standard library's json."""
    if find_spec("orjson") is None:
        return ok("json", "standard library", "`pip install orjson` decodes several times faster")
    from importlib.metadata import version

    return ok("json", f"orjson {version('orjson')}")


def port(host: str, number: int, *, ours: bool) -> Check:
    """The port that ``headwater up`` would listen on. ``ours``: a collector runs on the directory."""
    name = f"port {number}"
    try:
        with socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET) as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            probe.bind((host, number))
    except OSError as error:
        if ours:
            return ok(name, "in use, and `headwater up` runs on this directory")
        return away(name, f"{host}:{number}: {error.strerror}", "end what listens there, or give `headwater up --port`")
    return ok(name, f"{host}:{number} is free")


def size_text(count: float) -> str:
    """A number of bytes as people read it."""
    for unit in ("B", "KiB", "MiB", "GiB"):
        if count < 1024:
            return f"{count:.4g} {unit}"
        count /= 1024
    return f"{count:.4g} TiB"
