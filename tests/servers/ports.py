"""Free ports on loopback that stay free while a server is down."""

from __future__ import annotations

import contextlib
import random
import socket

HOST = "127.0.0.1"

# Below Linux's ephemeral range (32768 and up): a client that keeps connecting to a killed server's port would in that
# range sooner or later be given the same port for its own end, connect to itself, and the server could not bind again.
_RANGE = range(20_000, 32_000)


def is_free(port: int) -> bool:
    """Whether a server could listen there now."""
    with contextlib.closing(socket.socket()) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((HOST, port))
        except OSError:
            return False
        return True


def free_port() -> int:
    """A port nobody listens on, another at each call as a rule."""
    for port in random.SystemRandom().sample(_RANGE, 200):
        if is_free(port):
            return port
    raise OSError("no free port was found between 20000 and 32000")


def is_open(port: int) -> bool:
    """Whether something accepts connections there."""
    with contextlib.closing(socket.socket()) as probe:
        probe.settimeout(1)
        return probe.connect_ex((HOST, port)) == 0
