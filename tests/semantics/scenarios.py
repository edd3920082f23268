"""Finds scenarios and expands them with the ``expand.py`` beside them, byte for byte."""

from __future__ import annotations

import importlib.util
import json
import os
import subprocess
import sys
from functools import lru_cache
from pathlib import Path
from typing import Any

from headwater.shared.event import Name

HERE = Path(__file__).parent
DIRECTORY = Path(os.environ.get("SEMANTICS_DIR") or HERE)


def _load(path: Path) -> Any:
    spec = importlib.util.spec_from_file_location("scenario_expand", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


EXPAND = DIRECTORY / "expand.py" if (DIRECTORY / "expand.py").exists() else HERE / "expand.py"
_expand = _load(EXPAND)


def files() -> list[Path]:
    """Every scenario of the directory and of its ``more`` folder, if it has one."""
    found = sorted(DIRECTORY.glob("*.json")) + sorted((DIRECTORY / "more").glob("*.json"))
    assert found, f"no scenarios in {DIRECTORY}"
    return found


@lru_cache(maxsize=1)
def _expanded() -> dict[Path, list[bytes]]:
    """One interpreter expands all files: it runs the script's own main for each, as ``expand.py FILE`` would."""
    loop = (
        "import runpy, sys\n"
        "for path in sys.argv[2:]:\n"
        "    sys.argv[1:2] = [path]\n"
        "    runpy.run_path(sys.argv[0], run_name='__main__')\n"
        "    print('--', flush=True)\n"
    )
    paths = files()
    code = f"import sys; sys.argv = [{str(EXPAND)!r}, ''] + sys.argv[1:]\n{loop}"
    done = subprocess.run([sys.executable, "-c", code, *map(str, paths)], check=True, capture_output=True, timeout=60)
    blocks = done.stdout.split(b"--\n")
    assert len(blocks) == len(paths) + 1
    return {path: block.splitlines() for path, block in zip(paths, blocks[:-1], strict=True)}


def events(path: Path) -> list[bytes]:
    """The scenario's events as ``expand.py`` prints them, in the given order."""
    return _expanded()[path]


def expectations(path: Path) -> dict[str, dict[str, Any]]:
    expect: dict[str, dict[str, Any]] = json.loads(path.read_text())["expect"]
    assert expect, f"{path} expects nothing"
    return expect


def run_uuid(name: str) -> str:
    uuid: str = _expand.run_id(name)
    return uuid


def dataset(ref: str) -> tuple[Name, str | None]:
    """``name@version`` as (name, version); ``name@~run`` as the generation that the run implies."""
    namespace, name, version = _expand.dataset_name(ref)
    return Name(namespace, name), generation(version)


def generation(version: str | None) -> str | None:
    return "~" + run_uuid(version[1:]) if version is not None and version.startswith("~") else version


def column(ref: str) -> tuple[Name, str | None, str]:
    """``name.column`` or ``name@version.column``: the column is what follows the last dot."""
    owner, _, field = ref.rpartition(".")
    return *dataset(owner), field
