"""A virtual environment for each producer, made once a machine from its pinned requirements.

The project's own environment stays free of Airflow, Spark and dbt, and of what they pin.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterable
from pathlib import Path

from tests.servers.cache import alone, cache_directory
from tests.servers.errors import ServerMissing
from tests.servers.tools import need_tool, run_tool
from tests.support.outside import ROOT

HERE = Path(__file__).parent
REQUIREMENTS = HERE / "requirements"
NAMES = ("openlineage", "dbt", "airflow", "spark")
PROJECTS = HERE / "projects"
SPARK_POM = PROJECTS / "spark" / "pom.xml"

OUR_PACKAGES = os.pathsep.join(str(ROOT / package / "src") for package in ("shared", "producer"))
"""PYTHONPATH of a producer that ships through headwater's transport: this checkout's, whatever the cache holds."""


def environment(name: str) -> Path:
    """The ``bin`` folder of this producer's environment. Raises ServerMissing when it cannot be made.

    One for each state of its requirements; processes that want the same one wait for the first.
    """

    def build(place: Path) -> None:
        _uv("venv", "--quiet", "--python", sys.executable, str(place), doing=f"making the environment of {name}")
        pinned = ["--require-hashes", "-r", str(REQUIREMENTS / f"{name}.txt")]
        target = ["--python", str(place / "bin" / "python")]
        _uv("pip", "install", "--quiet", *target, *pinned, doing=f"installing {name}")

    return _made(name, [REQUIREMENTS / f"{name}.txt"], build, sys.version) / "bin"


def spark_jars() -> Path:
    """The folder that holds OpenLineage's agent for Spark, fetched by Maven. Raises ServerMissing."""

    def fetch(place: Path) -> None:
        place.mkdir(parents=True)
        goal = ["dependency:copy-dependencies", "-DincludeScope=runtime", f"-DoutputDirectory={place}"]
        command = [need_tool("mvn"), "-q", "-B", "-f", str(SPARK_POM), *goal]
        run_tool(command, where=place, doing="fetching OpenLineage's agent for Spark")

    need_tool("java")
    return _made("spark-jars", [SPARK_POM], fetch)


def compile_pins(name: str) -> None:
    """Renews ``requirements/NAME.txt`` from ``NAME.in``."""
    options = ["--universal", "--generate-hashes", "--no-emit-index-url", "--no-emit-find-links"]
    where = ["--quiet", "--python-version", "3.11", f"{name}.in", "-o", f"{name}.txt", "--upgrade"]
    header = ["--custom-compile-command", "python -m tests.producers pins"]
    _uv("pip", "compile", *options, *where, *header, doing=f"pinning {name}", where=REQUIREMENTS)


def _made(name: str, sources: Iterable[Path], build: Callable[[Path], None], *more: str) -> Path:
    """A folder that ``build`` made whole: an environment cannot be moved, so a mark beside it says that it is done."""
    digest = hashlib.sha256("\0".join(more).encode())
    for source in sources:
        digest.update(source.read_bytes())
    place = cache_directory() / "environments" / f"{name}-{digest.hexdigest()[:12]}"
    done = place.with_suffix(".done")
    if done.exists():
        return place
    place.parent.mkdir(parents=True, exist_ok=True)
    with alone(f"environment-{name}"):
        if not done.exists():
            shutil.rmtree(place, ignore_errors=True)
            build(place)
            done.touch()
    return place


def _uv(*arguments: str, doing: str, where: Path = REQUIREMENTS) -> None:
    uv = shutil.which("uv", path=os.pathsep.join((str(Path(sys.executable).parent), os.environ.get("PATH", ""))))
    if uv is None:
        raise ServerMissing("uv is not installed: `make setup`")
    try:
        run_tool([uv, *arguments], where=where, doing=doing)
    except subprocess.SubprocessError as error:
        raise ServerMissing(f"{doing}: {error}") from error
