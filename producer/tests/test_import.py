"""Importing the producer is cheap, and loads nothing of anybody else's."""

from __future__ import annotations

import sys
from collections.abc import Callable
from subprocess import CompletedProcess

Python = Callable[..., CompletedProcess[str]]

HEAVY = {
    "asyncio",
    "concurrent.futures",
    "dataclasses",
    "datetime",
    "email",
    "hashlib",
    "http.client",
    "importlib.metadata",
    "inspect",
    "json",
    "logging",
    "multiprocessing",
    "random",
    "socket",
    "ssl",
    "subprocess",
    "tempfile",
    "tomllib",
    "traceback",
    "urllib.request",
    "uuid",
}

SCRIPT = """
import sys
before = set(sys.modules)
import headwater.producer
print("\\n".join(sorted(set(sys.modules) - before)))
"""


def loaded(python: Python, script: str = SCRIPT) -> set[str]:
    """Names of modules that the script prints."""
    return set(python(script).stdout.split())


def test_no_third_party_module_and_none_that_costs(python: Python) -> None:
    modules = loaded(python)
    assert "headwater.producer" in modules
    foreign = {name for name in modules if name.partition(".")[0] not in {*sys.stdlib_module_names, "headwater"}}
    assert foreign == set()
    assert modules & HEAVY == set()


def test_which_modules_of_the_standard_library(python: Python) -> None:
    """In an interpreter without site-packages, where nothing is there already. A longer list is a slower import."""
    bare = """
import subprocess, sys
code = "import sys; before = set(sys.modules); sys.path[:0] = %r" % ([p for p in sys.path if p.endswith("src")],)
code += "; import headwater.producer; print(*sorted(set(sys.modules) - before))"
print(subprocess.run([sys.executable, "-S", "-E", "-c", code], capture_output=True, text=True, check=True).stdout)
"""
    modules = {name for name in loaded(python, bare) if not name.startswith("headwater")}
    allowed = {
        "__future__", "_thread", "threading", "typing", "functools", "collections", "operator", "keyword", "reprlib",
        "contextvars", "weakref", "atexit", "re", "enum", "types", "copyreg", "struct", "zlib", "errno", "fcntl",
        "itertools", "copy", "contextlib", "os", "stat", "posixpath", "genericpath",
        "warnings",
    }  # fmt: skip
    extra = {name for name in modules if not name.startswith("_") and name.partition(".")[0] not in allowed}
    assert extra == set()


def test_a_run_with_lineage_off_loads_nothing_more(python: Python) -> None:
    script = """
import sys
import headwater.producer as h
before = set(sys.modules)
@h.track_lineage("x")
def work(): pass
work()
with h.run("y") as r: r.input(h.LineageDataset("a", "b"))
print("\\n".join(sorted(set(sys.modules) - before)))
"""
    assert set(python(script, HEADWATER_DISABLED="1").stdout.split()) & HEAVY == set()


def test_the_public_names_are_documented() -> None:
    import headwater.producer as producer

    for name in producer.__all__:
        if name != "DatasetLike":
            assert (getattr(producer, name).__doc__ or "").strip(), name
