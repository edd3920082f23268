"""Where a test gets a server: from the environment, from a container, or started here."""

from __future__ import annotations

import atexit
import os
import shutil
import tempfile
from functools import cache
from pathlib import Path

import psutil

from tests.servers import containers
from tests.servers.kinds import KINDS
from tests.servers.server import Server
from tests.support.scratch import MEMORY

NAMES = tuple(KINDS)
VARIABLES = {name: f"HEADWATER_TEST_{name.upper()}" for name in NAMES}
"""Server -> the environment variable that names a running one. Its content is the tests' to delete."""

_ROOM = "headwater-servers-"


@cache
def find(name: str) -> str:
    """The URL of a server that answers, the same one for the whole process.

    HEADWATER_TEST_<NAME> wins; else a container, where a Docker engine answers and testcontainers is installed; else
    one that is started here and ends with this process. Raises ServerMissing when none can be had, ServerBroken when
    it could and does not work.
    """
    if url := os.environ.get(VARIABLES[name]):
        return url
    if containers.available():
        return containers.start(name)
    return own(name).url


@cache
def own(name: str) -> Server:
    """The process's own server of a kind: the one that ``find`` gives where it starts one."""
    return launch(name)


def launch(name: str, **options: object) -> Server:
    """Start another server, on a free port, in a temporary directory; both go when this process ends, ``remove()``
    does it earlier. ``options`` are those of its class (Kafka: ``settings``). Raises ServerMissing, ServerBroken."""
    KINDS[name]  # an unknown name leaves no directory
    _sweep()
    room = Path(tempfile.mkdtemp(prefix=f"{_ROOM}{os.getpid()}-"))
    room.chmod(0o711)  # PostgreSQL may run under another account
    atexit.register(shutil.rmtree, room, ignore_errors=True)
    server = KINDS[name](room / name, **options)  # type: ignore[arg-type]
    atexit.register(server.remove)
    server.start()
    return server


def _sweep() -> None:
    """Delete what processes left that were killed; their servers ended with them."""
    for place in {MEMORY, Path(tempfile.gettempdir())}:
        for room in place.glob(f"{_ROOM}*-*"):
            owner = room.name.removeprefix(_ROOM).partition("-")[0]
            if owner.isdigit() and not psutil.pid_exists(int(owner)):
                shutil.rmtree(room, ignore_errors=True)
