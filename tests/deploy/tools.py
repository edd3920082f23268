"""The programs that check deploy/: one from PATH, else the one built once a machine beside the tests' servers."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from pathlib import Path

from tests.servers.cache import built, is_built
from tests.servers.errors import ServerMissing
from tests.servers.tools import find_tool, need_tool, run_tool

_HELM = "helm.sh/helm/v3/cmd/helm"


def _compile(place: Path) -> None:
    go = need_tool("go")
    run_tool([go, "build", "-o", "compose", "."], where=place, doing="compiling the compose loader")
    run_tool([go, "build", "-o", "helm", _HELM], where=place, doing="compiling Helm")


def _unpack(place: Path) -> None:
    """Takes promtool out of the distribution's package; installing that would start a server."""
    if not (shutil.which("apt-get") and shutil.which("dpkg-deb")):
        raise ServerMissing("promtool is not installed, and this is no Debian or Ubuntu to take it from")
    package = (place / "package").read_text().strip()
    as_root = [] if os.geteuid() == 0 else ["sudo"]
    run_tool([*as_root, "apt-get", "-qq", "update"], where=place, doing="apt-get update")
    run_tool(["apt-get", "-qq", "download", package], where=place, doing=f"fetching {package}")
    [archive] = place.glob("*.deb")
    run_tool(["dpkg-deb", "-x", str(archive), "unpacked"], where=place, doing="unpacking promtool")
    (place / "unpacked" / "usr" / "bin" / "promtool").rename(place / "promtool")
    shutil.rmtree(place / "unpacked")
    archive.unlink()


RECIPES: dict[str, tuple[str, Callable[[Path], None]]] = {
    "helm": ("deploytools", _compile),
    "compose": ("deploytools", _compile),
    "promtool": ("promtool", _unpack),
}
"""Program -> the folder of its recipe, and what fills it. ``compose`` is ours, whatever PATH has."""


def tool(program: str, *, build: bool) -> str:
    """Its path. Raises ServerMissing where it is neither installed nor built, unless ``build``."""
    if program != "compose" and (path := find_tool(program)):
        return str(path)
    recipe, fill = RECIPES[program]
    if not build and not is_built(recipe):
        raise ServerMissing(f"{program} is not here: `python -m tests.deploy` builds it, in two minutes")
    return str(built(recipe, fill) / program)
