"""The demo's own directory: emptied at each start, but only if the demo made it."""

from __future__ import annotations

import shutil
from pathlib import Path

MARKER = ".headwater-demo"


def fresh(directory: Path) -> Path:
    """An empty directory with the demo's marker in it. Raises SystemExit where something else lives there."""
    directory = directory.resolve()
    if directory.exists():
        inside = list(directory.iterdir()) if directory.is_dir() else [directory]
        if inside and not (directory / MARKER).is_file():
            raise SystemExit(f"{directory} is not empty and not the demo's; give another with --dir")
        for path in inside:
            if path.is_dir() and not path.is_symlink():
                shutil.rmtree(path)
            else:
                path.unlink()
    directory.mkdir(parents=True, exist_ok=True)
    (directory / MARKER).write_text("headwater's demo empties this directory whenever it starts.\n", encoding="utf-8")
    return directory
