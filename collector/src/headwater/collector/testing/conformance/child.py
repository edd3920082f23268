"""The process that writes and dies: ``python -m headwater.collector.testing.conformance.child``, orders on stdin."""

from __future__ import annotations

import asyncio
import importlib.util
import os
import pickle
import signal
import sys
from collections.abc import Sequence
from typing import Final, NamedTuple

_SIGNAL: Final = getattr(signal, "SIGKILL", signal.SIGTERM)
KILLED: Final = -_SIGNAL if os.name == "posix" else int(_SIGNAL)
"""How the process ends when all went well."""


class Orders(NamedTuple):
    """What the parent sends, pickled; nothing in it needs more than the standard library to be read."""

    path: Sequence[str]
    module: str
    file: str
    """Of the test class: its module may be importable by no name."""
    make_store: bytes
    """Pickled."""
    place: str
    batches: Sequence[Sequence[bytes]]


async def write_and_die(orders: Orders) -> None:
    """Nothing of this process runs after the last ``write`` returned."""
    from headwater.collector.testing.conformance.events import projected

    store = pickle.loads(orders.make_store)(orders.place)  # noqa: S301 - from our own parent
    await store.open()
    for batch in orders.batches:
        await store.write([projected(raw) for raw in batch])
    os.kill(os.getpid(), _SIGNAL)


def load(module: str, file: str) -> None:
    """Makes the module importable under its name, as it is in the parent."""
    try:
        found = importlib.util.find_spec(module)
    except (ImportError, ValueError):
        found = None
    if found is None and file and (spec := importlib.util.spec_from_file_location(module, file)) and spec.loader:
        sys.modules[module] = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(sys.modules[module])


def main() -> None:
    fields = pickle.load(sys.stdin.buffer)  # noqa: S301 - from our own parent
    orders = Orders(*fields)
    sys.path[:] = orders.path
    load(orders.module, orders.file)
    asyncio.run(write_and_die(orders))


if __name__ == "__main__":
    main()
