"""Servers that are jars: fetched by Maven, run by Java."""

from __future__ import annotations

import tempfile
from pathlib import Path

from tests.servers.cache import alone, built
from tests.servers.server import Server
from tests.servers.tools import need_tool, run_tool

# Serial collection costs least on a heap of this size and two shared cores.
STEADY = ("-Xms128m", "-Xmx512m", "-XX:+UseSerialGC", "-XX:-UsePerfData")
"""For a server that stays and is measured."""

QUICK = (*STEADY, "-XX:TieredStopAtLevel=1")
"""For one that tests start and kill: less processor time to start, slower once warm."""


class JavaServer(Server):
    """A server of one recipe with a pom. Its first build also runs it once, to write its loaded classes into an archive
    that halves the processor time of every later start."""

    _archives = False

    def build(self) -> None:
        place = self._place
        archive = place / "classes.jsa"
        if self._archives or archive.exists():
            return
        with alone(self.name):
            if archive.exists():
                return
            with tempfile.TemporaryDirectory(prefix="headwater-training-") as room:
                trainee = type(self)(Path(room))
                trainee._archives = True
                trainee.stop_timeout_s = 90  # type: ignore[misc]  # the archive is written at the end
                trainee.start()
                trainee.stop()
            archive.touch()  # a Java that writes none is not asked again

    @property
    def _place(self) -> Path:
        return built(self.name, self._fetch)

    def _java(self, main: str, *arguments: str) -> list[str]:
        """The command that runs a class of the jars as the server."""
        archive = self._place / "classes.jsa"
        shared = []
        if self._archives:
            shared = [f"-XX:ArchiveClassesAtExit={archive}", "-Xlog:cds=off", "-Xlog:cds+dynamic=off"]
        elif archive.exists() and archive.stat().st_size:
            shared = [f"-XX:SharedArchiveFile={archive}"]
        options = STEADY if self._detached else QUICK
        return [need_tool("java"), *options, *shared, *self._more_options(), *self._classes(), main, *arguments]

    def _more_options(self) -> tuple[str, ...]:
        return ()

    def _classes(self) -> list[str]:
        return ["-cp", f"{self._place}/lib/*"]  # jars only: an archive refuses folders

    @classmethod
    def _fetch(cls, place: Path) -> None:
        goal = ["dependency:copy-dependencies", "-DincludeScope=runtime", "-DoutputDirectory=lib"]
        run_tool([need_tool("mvn"), "-q", "-B", *goal], where=place, doing=f"fetching the jars of {cls.name}")
        if sources := [path.name for path in place.glob("*.java")]:
            doing = f"compiling the launcher of {cls.name}"
            run_tool([need_tool("javac"), "-cp", "lib/*", "-d", "classes", *sources], where=place, doing=doing)
            run_tool([need_tool("jar"), "cf", "lib/launcher.jar", "-C", "classes", "."], where=place, doing=doing)
