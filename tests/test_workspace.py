"""The checkout stands alone: no file names a workplace or a download host, what is public is documented and typed."""

from __future__ import annotations

import ast
import importlib
import inspect
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.outside import ROOT

NOT_OURS = {
    ".venv", ".git", ".headwater", ".pytest_cache", ".mypy_cache", ".ruff_cache", ".hypothesis", "__pycache__", "dist",
    "build", "node_modules",
}  # fmt: skip
WORKPLACE = re.compile(r"(?<![\w./-])/(?:root|work)/|(?<![\w./-])/home/(?!user\b|app\b)\w+", re.ASCII)
"""Paths of somebody's machine."""
HOSTS = re.compile(
    "|".join(("pypi" + r"\.org", "pythonhosted" + r"\.org", "npmjs" + r"\.(?:org|com)", "proxy" + r"\.golang"))
)
PUBLIC = ("headwater.producer", "headwater.producer.testing", "headwater.collector", "headwater.collector.stores",
          "headwater.shared.log")  # fmt: skip
TYPED = ("shared", "producer", "collector")


def files() -> Iterator[tuple[Path, str]]:
    """Text files of the checkout that are ours."""
    for path in sorted(ROOT.rglob("*")):
        relative = path.relative_to(ROOT)
        if (
            path.is_file()
            and not NOT_OURS & set(relative.parts)
            and not any(p.endswith(".egg-info") for p in relative.parts)
        ):
            try:
                yield relative, path.read_text()
            except UnicodeDecodeError:
                continue


def test_no_file_names_a_workplace_or_a_download_host() -> None:
    me = Path(__file__).relative_to(ROOT)
    wrong = [
        f"{path}:{text.count(chr(10), 0, found.start()) + 1}: {found.group()}"
        for path, text in files()
        if path != me
        for pattern in (WORKPLACE, HOSTS)
        for found in pattern.finditer(text)
    ]
    assert not wrong, "\n".join(wrong)


def test_pinned_requirements_have_hashes_and_no_addresses() -> None:
    pins = sorted((ROOT / "requirements").glob("*.txt"))
    assert pins
    for path in pins:
        lines = [line for line in path.read_text().splitlines() if line and not line.lstrip().startswith("#")]
        assert not [line for line in lines if "://" in line or line.startswith(("-i", "-f", "--"))], path.name
        blocks = re.split(r"\n(?=\S)", "\n".join(lines))
        assert all("--hash=sha256:" in block for block in blocks), path.name


@pytest.mark.parametrize("name", PUBLIC)
def test_what_is_public_is_documented(name: str) -> None:
    module = importlib.import_module(name)
    assert module.__doc__, name
    assert module.__all__, f"{name} does not say what is public"
    undocumented = [f"{name}.{public}" for public in module.__all__ if not _documented(getattr(module, public))]
    assert not undocumented


def _documented(value: object) -> bool:
    if not (inspect.isclass(value) or inspect.isroutine(value)):
        return True  # a constant or an alias has its line of meaning beside it
    text = inspect.getdoc(value)
    own = value.__doc__ if inspect.isclass(value) else text
    return bool(text and own and not own.startswith(f"{getattr(value, '__name__', '')}("))


@pytest.mark.parametrize("wheel", TYPED)
def test_a_wheel_is_typed(wheel: str) -> None:
    assert (ROOT / wheel / "src" / "headwater" / wheel / "py.typed").exists()


@pytest.mark.parametrize("wheel", TYPED)
def test_every_module_says_what_it_is_for(wheel: str) -> None:
    paths = sorted((ROOT / wheel / "src").rglob("*.py"))
    silent = [str(path.relative_to(ROOT)) for path in paths if not ast.get_docstring(ast.parse(path.read_bytes()))]
    assert paths
    assert not silent


@pytest.mark.parametrize("wheel", TYPED)
def test_no_error_is_swallowed_and_logged(wheel: str) -> None:
    """`except Exception: log` loses things: a broad handler must do something else than log or pass."""
    wrong = [
        f"{path.relative_to(ROOT)}:{node.lineno}"
        for path in sorted((ROOT / wheel / "src").rglob("*.py"))
        if path.name != "_guard.py"  # where even telling of the error failed
        for node in ast.walk(ast.parse(path.read_bytes()))
        if isinstance(node, ast.ExceptHandler) and _broad(node.type) and all(map(_says_nothing, node.body))
    ]
    assert not wrong


def _broad(kind: ast.expr | None) -> bool:
    return kind is None or (isinstance(kind, ast.Name) and kind.id in ("Exception", "BaseException"))


def _says_nothing(statement: ast.stmt) -> bool:
    if isinstance(statement, ast.Pass):
        return True
    call = statement.value if isinstance(statement, ast.Expr) else None
    if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Attribute):
        return False
    return call.func.attr in ("debug", "info", "warning", "error", "exception")
