"""Real servers for the tests and benchmarks: Kafka, Neo4j, a MongoDB-protocol server, PostgreSQL; no container engine.

``find(name)`` gives the URL of one, wherever it comes from; ``launch(name)`` one of one's own, to kill and stall.
``python -m tests.servers up`` leaves them running. The fixtures are in ``tests.servers.fixtures``.
"""

from __future__ import annotations

from tests.servers.errors import ServerBroken, ServerMissing, ServersError
from tests.servers.finding import NAMES, VARIABLES, find, launch
from tests.servers.server import Server

__all__ = ["NAMES", "VARIABLES", "Server", "ServerBroken", "ServerMissing", "ServersError", "find", "launch"]
