"""Servers that are jars: fetched by Maven, run by Java."""

from __future__ import annotations

from pathlib import Path

from tests.servers.cache import built
from tests.servers.tools import need_tool, run_tool

# Serial collection costs least on a heap of this size and two shared cores.
STEADY = ("-Xms128m", "-Xmx512m", "-XX:+UseSerialGC", "-XX:-UsePerfData")
"""For a server that stays and is measured."""

QUICK = (*STEADY, "-XX:TieredStopAtLevel=1")
"""For one that tests start and kill: half the processor time to start, slower once warm."""


def fetched(name: str) -> Path:
    """The cached folder of a recipe: its jars in ``lib``, its Java files compiled beside them."""
    return built(name, lambda place: _fetch(name, place))


def java(place: Path, main: str, *arguments: str, options: tuple[str, ...]) -> list[str]:
    """The command that runs a class of a fetched recipe."""
    return [need_tool("java"), *options, "-cp", f"{place}:{place}/lib/*", main, *arguments]


def _fetch(name: str, place: Path) -> None:
    goal = ["dependency:copy-dependencies", "-DincludeScope=runtime", "-DoutputDirectory=lib"]
    run_tool([need_tool("mvn"), "-q", "-B", *goal], where=place, doing=f"fetching the jars of {name}")
    if sources := [path.name for path in place.glob("*.java")]:
        run_tool([need_tool("javac"), "-cp", "lib/*", *sources], where=place, doing=f"compiling the launcher of {name}")
