"""Tests start hundreds of Pythons, each of which would compile FastAPI, SQLAlchemy and us anew where Python is told to
write no bytecode (``PYTHONDONTWRITEBYTECODE``, common in containers)."""

from __future__ import annotations

import os
import sys

from tests.support.outside import ROOT

_PLACE = ROOT / ".pytest_cache" / "bytecode"


def keep_bytecode() -> None:
    """In a folder of its own, for this process and those that it starts. Nothing is written beside the sources."""
    if sys.dont_write_bytecode:
        sys.dont_write_bytecode = False
        sys.pycache_prefix = os.environ["PYTHONPYCACHEPREFIX"] = str(_PLACE)
        os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
