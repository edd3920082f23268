"""The programs that the servers are built and run with: where they are, and how a machine gets them."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tests.servers.errors import ServerMissing

_JDK = "default-jdk-headless"
PACKAGES = {"mvn": "maven", "java": _JDK, "javac": _JDK, "jar": _JDK, "go": "golang-go", "postgres": "postgresql"}
"""Program -> the Debian package that brings it."""

_ASIDE = {
    "go": ["/usr/local/go/bin"],
    "postgres": ["/usr/lib/postgresql/*/bin"],
    "initdb": ["/usr/lib/postgresql/*/bin"],
}
"""Where programs live that their installers leave out of PATH."""

_OLDEST_GO = (1, 24)


def find_tool(program: str) -> Path | None:
    """Its path; of several PostgreSQL versions the newest."""
    if found := shutil.which(program):
        return Path(found)
    aside = [path for pattern in _ASIDE.get(program, ()) for path in Path("/").glob(f"{pattern[1:]}/{program}")]
    return max(aside, key=lambda path: [int(number) for number in re.findall(r"\d+", str(path))], default=None)


def need_tool(program: str) -> str:
    """Its path. Raises ServerMissing with the package to install."""
    if path := find_tool(program):
        return str(path)
    package = PACKAGES.get(program, "postgresql")
    raise ServerMissing(f"{program} is not installed: `python -m tests.servers install`, or the package {package}")


def run_tool(command: list[str], *, where: Path, doing: str, identity: Mapping[str, Any] | None = None) -> str:
    """Runs a build step, under another ``identity`` (arguments of Popen) where given, and returns what it printed.
    Raises ServerMissing with the end of that when it fails."""
    done = subprocess.run(
        command,
        **({"cwd": where} | dict(identity or {})),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        output = "\n".join((done.stdout + done.stderr).strip().splitlines()[-15:])
        raise ServerMissing(f"{doing} failed ({' '.join(command[:2])} ended with {done.returncode}):\n{output}")
    return done.stdout


def install() -> None:
    """Gives a Debian or Ubuntu machine what it lacks to build and run the servers, by apt-get as root or through sudo.

    Kafka and Neo4j are jars, fetched by Maven and run by Java (a JDK: Neo4j's launcher is one compiled class); the
    MongoDB-protocol server is compiled by Go; PostgreSQL is the distribution's own. A program that is already there,
    in whatever version and from wherever, is left alone, so a machine that has them all is not touched. Raises
    ServerMissing when the distribution's Go is too old for the MongoDB-protocol server, or apt-get fails.
    """
    lacking = sorted({package for program, package in PACKAGES.items() if find_tool(program) is None})
    if lacking:
        print("installing", *lacking, flush=True)
        as_root = [] if os.geteuid() == 0 else ["sudo"]
        quiet = [*as_root, "env", "DEBIAN_FRONTEND=noninteractive", "apt-get", "-qq"]
        run_tool([*quiet, "update"], where=Path("/"), doing="apt-get update")
        run_tool(
            [*quiet, "install", "-y", "--no-install-recommends", *lacking], where=Path("/"), doing="apt-get install"
        )
    version = subprocess.run([need_tool("go"), "version"], capture_output=True, text=True, check=True).stdout
    if (found := re.search(r"go(\d+)\.(\d+)", version)) and tuple(map(int, found.groups())) < _OLDEST_GO:
        oldest = ".".join(map(str, _OLDEST_GO))
        raise ServerMissing(f"{version.strip()} is too old for the MongoDB-protocol server, which needs Go {oldest}")
