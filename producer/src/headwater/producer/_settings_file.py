"""``headwater.toml``, or ``[tool.headwater]`` of pyproject.toml: found near the working directory, read once."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

from headwater.shared.errors import ConfigurationError
from headwater.shared.names import ENV_CONFIG

_LINEAGE_KEYS = {"enabled", "url", "collector_topic", "collector", "kafka", "log", "producer", "store"}


def read_file(environ: Mapping[str, str], directory: str = "") -> Mapping[str, Any]:
    """The file named by HEADWATER_CONFIG, else the nearest one from ``directory`` (the working directory) upwards,
    as far as the top of the project (a directory with ``.git``). Empty if there is none. Raises ConfigurationError."""
    named = environ.get(ENV_CONFIG, "").strip()
    if named:
        if not os.path.isfile(named):
            raise ConfigurationError(ENV_CONFIG, named, "no such file")
        found = _tables(named)
        return {} if found is None else found
    try:
        here = os.path.abspath(directory or os.getcwd())
    except OSError:  # the working directory was deleted
        return {}
    while True:
        for name in ("headwater.toml", "pyproject.toml"):
            path = os.path.join(here, name)
            found = _tables(path) if os.path.isfile(path) else None
            if found is not None:
                return found
        above = os.path.dirname(here)
        if above == here or os.path.exists(os.path.join(here, ".git")):
            return {}
        here = above


def _tables(path: str) -> Mapping[str, Any] | None:
    """The file's settings; None if it is a pyproject.toml without any."""
    in_project = os.path.basename(path) == "pyproject.toml"
    try:
        with open(path, "rb") as file:
            raw = file.read()
    except OSError as error:
        raise ConfigurationError("file", path, f"cannot be read: {error.strerror}") from None
    if in_project and b"headwater" not in raw:
        return None
    import tomllib

    try:
        content: Any = tomllib.loads(raw.decode())
    except ValueError as error:
        raise ConfigurationError("file", path, f"is no TOML: {error}") from None
    if in_project:
        content = content.get("tool", {}).get("headwater")
        if content is None:
            return None
    _check(path, content)
    return dict(content)


def _check(path: str, content: Any) -> None:
    """Refuses what is no table and misspelt keys, so that a setting never goes unheard."""
    from ._settings import KEYS

    lineage = content.get("lineage", {}) if isinstance(content, dict) else None
    producer = lineage.get("producer", {}) if isinstance(lineage, dict) else None
    if not isinstance(producer, dict) or not isinstance(lineage, dict):
        raise ConfigurationError("file", path, "[lineage] and [lineage.producer] have to be tables")
    known = {key.file_path[-1] for key in KEYS if key.file_path[:-1] == ("lineage", "producer")}
    for where, table, names in (("lineage", lineage, _LINEAGE_KEYS), ("lineage.producer", producer, known)):
        for name in table:
            if name not in names:
                raise ConfigurationError(
                    f"{where}.{name}", table[name], f"no such key in {path}; there are {', '.join(sorted(names))}"
                )
