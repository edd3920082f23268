"""The name of the running application: whose spool it is, and whose jobs."""

from __future__ import annotations

import os
import sys


def main_name() -> str:
    """``package.module`` for ``python -m package.module``, the script's name without ``.py``, else ``python``."""
    main = sys.modules.get("__main__")
    spec = getattr(main, "__spec__", None)
    name = getattr(spec, "name", None)
    if name:
        return str(name).removesuffix(".__main__")
    path = getattr(main, "__file__", None) or (sys.argv[0] if sys.argv else "")
    base = os.path.basename(path)
    return base.removesuffix(".py") if base and base not in ("-c", "-") else "python"


def directory_name(application: str) -> str:
    """The application's name as the name of a directory."""
    kept = "".join(char if char.isalnum() or char in "._-" else "_" for char in application)[:100].strip(".")
    return kept or "python"
