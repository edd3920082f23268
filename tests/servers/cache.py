"""What is downloaded or compiled, once a machine: one folder for each recipe and each state of its files."""

from __future__ import annotations

import contextlib
import fcntl
import hashlib
import os
import shutil
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

RECIPES = Path(__file__).parent / "recipes"


def cache_directory() -> Path:
    """``HEADWATER_SERVERS_CACHE``, else ``~/.cache/headwater-servers``."""
    path = Path(os.environ.get("HEADWATER_SERVERS_CACHE") or Path.home() / ".cache" / "headwater-servers")
    path.mkdir(parents=True, exist_ok=True)
    return path


def built(name: str, build: Callable[[Path], None]) -> Path:
    """The folder that ``build`` filled, from a copy of the recipe that it finds there.

    Built when no folder of these very files is there yet; processes that want the same one wait for the first. A
    build that fails leaves nothing.
    """
    recipe = RECIPES / name
    done = cache_directory() / f"{name}-{_fingerprint(recipe)}"
    if done.is_dir():
        return done
    with alone(name):
        if done.is_dir():
            return done
        with tempfile.TemporaryDirectory(prefix=f"{name}-building-", dir=cache_directory()) as room:
            place = Path(room) / "it"
            shutil.copytree(recipe, place)
            build(place)
            place.rename(done)
    return done


def is_built(name: str) -> bool:
    """Whether ``built`` would return at once."""
    return (cache_directory() / f"{name}-{_fingerprint(RECIPES / name)}").is_dir()


@contextlib.contextmanager
def alone(name: str) -> Iterator[None]:
    """One process at a time, for each name."""
    with (cache_directory() / f"{name}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def _fingerprint(recipe: Path) -> str:
    digest = hashlib.sha256()
    for path in sorted(recipe.iterdir()):
        digest.update(f"{path.name}\0".encode() + path.read_bytes() + b"\0")
    return digest.hexdigest()[:12]
