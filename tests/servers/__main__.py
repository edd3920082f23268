"""``python -m tests.servers up|down|status|build|install [NAME...]``: servers that stay between test runs."""

from __future__ import annotations

import argparse
import os
import sys
import time
from pathlib import Path

from tests.servers.cache import cache_directory
from tests.servers.errors import ServersError
from tests.servers.finding import NAMES, VARIABLES
from tests.servers.kinds import KINDS
from tests.servers.ports import free_port, is_free
from tests.servers.server import Server
from tests.servers.tools import install


def main() -> int:
    """The exit code: 0, or 1 when a server could not be had or (status) is down."""
    parser = argparse.ArgumentParser(prog="python -m tests.servers", description="Real servers on loopback.")
    commands = parser.add_subparsers(dest="command", required=True)
    for command, text in {
        "up": "start them, wait until they answer, print the variables that tests find them by",
        "down": "stop them; their data stays unless --wipe",
        "status": "say which run, and where",
        "build": "fetch and compile what they need, start nothing",
        "install": "install with apt-get what building and running them needs, and this machine lacks",
    }.items():
        sub = commands.add_parser(command, help=text, description=text)
        if command != "install":
            sub.add_argument("names", nargs="*", metavar="NAME", help=f"of {', '.join(NAMES)}; all by default")
        if command == "down":
            sub.add_argument("--wipe", action="store_true", help="delete their data too")
    options = parser.parse_args()
    if options.command == "install":
        install()
        return 0
    if unknown := [name for name in options.names if name not in NAMES]:
        parser.error(f"unknown: {', '.join(unknown)}; there are {', '.join(NAMES)}")
    servers = [_standing(name) for name in options.names or NAMES]
    if options.command == "down":
        return _down(servers, options.wipe)
    return {"up": _up, "status": _status, "build": _build}[options.command](servers)


def _standing(name: str) -> Server:
    """The server that ``up`` leaves running. Its port: HEADWATER_SERVERS_<NAME>_PORT, else its usual one if free."""
    directory: Path = cache_directory() / "up" / name
    wanted = int(os.environ.get(f"HEADWATER_SERVERS_{name.upper()}_PORT") or 0)
    server = KINDS[name](directory, port=wanted or None, detached=True)
    if not server.running and not wanted:
        usual = KINDS[name].default_port
        server.port = usual if is_free(usual) else free_port()
    return server


def _up(servers: list[Server]) -> int:
    for server in servers:
        before = time.monotonic()
        server.start()
        print(
            f"# {server.product}, pid {server.pid}, answered after {time.monotonic() - before:.1f} s", file=sys.stderr
        )
        print(f"export {VARIABLES[server.name]}={server.url}", flush=True)
    return 0


def _down(servers: list[Server], wipe: bool) -> int:
    for server in servers:
        print(server.name, "stopped" if server.running else "was down")
        server.remove() if wipe else server.stop()
    return 0


def _status(servers: list[Server]) -> int:
    for server in servers:
        where = f"{server.url}  pid {server.pid}  {server.memory_bytes >> 20} MiB" if server.running else "down"
        print(f"{server.name:9} {where}")
    return 0 if all(server.running for server in servers) else 1


def _build(servers: list[Server]) -> int:
    for server in servers:
        server.build()
        print(f"{server.name:9} ready: {server.product}", flush=True)
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except ServersError as error:
        sys.exit(str(error))
