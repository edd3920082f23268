"""Where settings come from beside arguments: the environment, and one TOML file."""

from __future__ import annotations

import os
import tomllib
from pathlib import Path
from typing import Any, Final

from pydantic.fields import FieldInfo
from pydantic_settings import BaseSettings, PydanticBaseSettingsSource

from headwater.shared.errors import ConfigurationError
from headwater.shared.log.kafka.settings import VARIABLES
from headwater.shared.names import ENV_CONFIG, ENV_DISABLED, ENV_URL

ENV_PREFIX: Final = "HEADWATER_"
"""Any key: this and its path with ``__`` between, as in ``HEADWATER_LINEAGE__STORE__BACKENDS=sql,logging``."""
ENV_STORE: Final = "HEADWATER_STORE"
"""Short for ``lineage.store.backend``."""

_SHORT: Final = {
    ENV_URL: ("lineage", "url"),
    ENV_STORE: ("lineage", "store", "backend"),
    **{variable: ("lineage", "kafka", key) for key, variable in VARIABLES.items()},
}
_ROOTS: Final = ("LINEAGE", "CONNECTIONS")


class _Source(PydanticBaseSettingsSource):
    """A source that has its values as one nested dict."""

    def get_field_value(self, field: FieldInfo, field_name: str) -> tuple[Any, str, bool]:
        """Not used: ``__call__`` answers for all fields."""
        return None, field_name, False


class EnvironmentSource(_Source):
    """``HEADWATER_…``, texts as they stand; pydantic turns them into numbers and booleans."""

    def __call__(self) -> dict[str, Any]:
        found: dict[str, Any] = {}
        for name, text in sorted(os.environ.items()):
            path = _SHORT.get(name)
            if path is None and name.startswith(ENV_PREFIX) and "__" in name:
                parts = name.removeprefix(ENV_PREFIX).split("__")
                path = tuple(part.lower() for part in parts) if parts[0] in _ROOTS and all(parts) else None
            if path is not None:
                _put(found, path, text, name)
        if os.environ.get(ENV_DISABLED, "").lower() in ("1", "true", "yes", "on"):
            _put(found, ("lineage", "enabled"), False, ENV_DISABLED)
        return found


class FileSource(_Source):
    """``headwater.toml``, or ``[tool.headwater]`` in pyproject.toml: the one named by argument or ``HEADWATER_CONFIG``,
    else the nearest above the working directory."""

    def __init__(self, settings_cls: type[BaseSettings], named: Path | None) -> None:
        super().__init__(settings_cls)
        self._named = named

    def __call__(self) -> dict[str, Any]:
        named = self._named or (Path(os.environ[ENV_CONFIG]) if os.environ.get(ENV_CONFIG) else None)
        if named is not None:
            if not named.is_file():
                raise ConfigurationError(ENV_CONFIG, str(named), "there is no such file")
            return {**_read(named), "config_file": named}
        here = Path.cwd()
        for directory in (here, *here.parents):
            plain, project = directory / "headwater.toml", directory / "pyproject.toml"
            if plain.is_file():
                return {**_read(plain), "config_file": plain}
            if project.is_file() and (table := _read(project)):
                return {**table, "config_file": project}
        return {}


def _read(path: Path) -> dict[str, Any]:
    try:
        content = tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise ConfigurationError("configuration file", str(path), f"cannot be read: {error}") from error
    if path.name != "pyproject.toml":
        return content
    table = content.get("tool", {}).get("headwater", {})
    return table if isinstance(table, dict) else {}


def _put(found: dict[str, Any], path: tuple[str, ...], value: object, variable: str) -> None:
    table = found
    for part in path[:-1]:
        inner = table.setdefault(part, {})
        if not isinstance(inner, dict):
            raise ConfigurationError(variable, value, f"{part} is set as a value by another variable")
        table = inner
    table[path[-1]] = value
