"""The rooms of the house: which wheel may import what, and that importing the producer stays light."""

from __future__ import annotations

import ast
import json
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.support.outside import ROOT

ROOMS = {"shared": {"shared"}, "producer": {"producer", "shared"}, "collector": {"collector", "shared"}}
"""Room to the rooms it may import."""

OPTIONAL = {
    "shared": {"orjson": ("orjson", "*"), "aiokafka": ("aiokafka", "log/kafka/")},
    "producer": {
        "openlineage": ("openlineage-python", "openlineage.py"),
        "attr": ("openlineage-python", "openlineage.py"),
        "prometheus_client": ("prometheus-client", "prometheus.py"),
    },
    "collector": {
        "pymongo": ("pymongo", "stores/document/"),
        "bson": ("pymongo", "stores/document/"),
        "neo4j": ("neo4j", "stores/graph/"),
        "httpx": ("httpx", "stores/openlineage/"),
        "psycopg": ("psycopg", "stores/sql/backends/postgres/"),
        "cryptography": ("cryptography", "exports/keys.py"),
        "pytest": ("pytest", "testing/conformance/"),
        "hypothesis": ("hypothesis", "testing/conformance/"),
    },
}
"""Third-party packages behind an extra: the distribution, and the one place below the room that may name them (`*`:
any, inside a `try`)."""

IMPORT_NAMES = {
    "pydantic-settings": "pydantic_settings", "prometheus-client": "prometheus_client", "headwater-shared": "headwater",
    "pyyaml": "yaml",
}  # fmt: skip
COMES_WITH = {
    "fastapi": {"starlette"}, "typer": {"click"}, "pydantic": {"pydantic_core"}, "headwater-shared": {"orjson"},
}  # fmt: skip
"""Packages that are part of another one's own interface."""


class Import(NamedTuple):
    path: Path
    line: int
    module: str
    guarded: bool
    """Inside a function, a `try` or `if TYPE_CHECKING`."""


def sources(room: str) -> list[Path]:
    found = sorted((ROOT / room / "src").rglob("*.py"))
    assert found, f"no sources in {room}"
    return found


def imports(path: Path) -> Iterator[Import]:
    def visit(node: ast.AST, guarded: bool) -> Iterator[Import]:
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield Import(path, node.lineno, alias.name, guarded)
        elif isinstance(node, ast.ImportFrom):
            yield Import(path, node.lineno, "." if node.level else str(node.module), guarded)
            if node.module in ("headwater", None) and not node.level:
                for alias in node.names:
                    yield Import(path, node.lineno, f"headwater.{alias.name}", guarded)
        inside = guarded or isinstance(node, ast.Try | ast.If | ast.FunctionDef | ast.AsyncFunctionDef)
        for child in ast.iter_child_nodes(node):
            yield from visit(child, inside)

    return visit(ast.parse(path.read_bytes()), False)


def dependencies(room: str) -> set[str]:
    """Top-level packages that the wheel's own dependencies bring."""
    project = tomllib.loads((ROOT / room / "pyproject.toml").read_text())["project"]
    names: set[str] = set()
    for requirement in project["dependencies"]:
        name = _distribution(requirement)
        names |= {IMPORT_NAMES.get(name, name)} | COMES_WITH.get(name, set())
    return names


def _distribution(requirement: str) -> str:
    return requirement.split("[")[0].split(">")[0].split("=")[0].split("<")[0].strip()


@pytest.mark.parametrize("room", ROOMS)
def test_a_room_imports_only_what_it_may(room: str) -> None:
    allowed, wrong = dependencies(room), []
    for path in sources(room):
        for said in imports(path):
            top, _, rest = said.module.partition(".")
            where = f"{path.relative_to(ROOT)}:{said.line} imports {said.module}"
            if said.module == "." or top in sys.stdlib_module_names:
                continue
            if top == "headwater":
                if rest.partition(".")[0] not in ROOMS[room]:
                    wrong.append(where)
            elif top in OPTIONAL[room]:
                _, only = OPTIONAL[room][top]
                inside = path.relative_to(ROOT / room / "src" / "headwater" / room).as_posix()
                if only == "*" and not said.guarded:
                    wrong.append(f"{where} and must survive its absence")
                elif only != "*" and not inside.startswith(only):
                    wrong.append(f"{where}, which only {only} may")
            elif top not in allowed:
                wrong.append(where)
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize("room", ROOMS)
def test_what_is_optional_is_an_extra(room: str) -> None:
    """Of the room's own wheel, or of one that brings the room along."""
    wheels = [room] if room != "shared" else list(ROOMS)
    extras: set[str] = set()
    for wheel in wheels:
        project = tomllib.loads((ROOT / wheel / "pyproject.toml").read_text())["project"]
        for requirements in project["optional-dependencies"].values():
            extras |= {_distribution(requirement) for requirement in requirements}
    assert {distribution for distribution, _ in OPTIONAL[room].values()} <= extras


def loaded_by(statement: str) -> set[str]:
    """Top-level modules that a bare interpreter loads for it."""
    code = (
        "import json, sys\nbefore = set(sys.modules)\n"
        f"{statement}\nprint(json.dumps(sorted({{name.partition('.')[0] for name in set(sys.modules) - before}})))"
    )
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True, timeout=60)
    return set(json.loads(done.stdout))


def test_importing_the_producer_loads_no_third_party_module() -> None:
    foreign = loaded_by("import headwater.producer") - set(sys.stdlib_module_names) - {"headwater"}
    assert not foreign


def test_importing_the_producer_loads_no_heavy_module() -> None:
    """Each of these costs a good part of the 25 ms that the import may take (benchmarks measure the time itself)."""
    heavy = {"asyncio", "dataclasses", "http", "inspect", "logging", "ssl", "subprocess", "urllib", "uuid"}
    assert not heavy & loaded_by("import headwater.producer")


def test_importing_shared_loads_no_third_party_module() -> None:
    foreign = loaded_by("import headwater.shared.event") - set(sys.stdlib_module_names) - {"headwater"}
    assert not foreign
