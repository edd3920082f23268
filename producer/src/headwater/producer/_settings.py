"""The producer's settings. One order: argument, environment, file, default; a wrong value is one clear line."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any, NamedTuple

from headwater.shared.errors import ConfigurationError
from headwater.shared.names import (
    DEFAULT_TOPIC,
    ENV_APPLICATION,
    ENV_DISABLED,
    ENV_NAMESPACE,
    ENV_OPENLINEAGE_DISABLED,
    ENV_OPENLINEAGE_NAMESPACE,
    ENV_OPENLINEAGE_URL,
    ENV_SPOOL,
    ENV_URL,
)

from . import _environment as env
from ._application import directory_name, main_name
from ._values import a_bool, a_duration, a_not_bool, a_secret, a_size, a_table, a_text, urls
from ._version import VERSION

_SPOOL_MAX_BYTES = 256 * 1024 * 1024


class Settings(NamedTuple):
    """What one producer runs by."""

    enabled: bool
    urls: tuple[str, ...]
    """Where to send; several mean all of them; none means not configured."""
    topic: str
    job_namespace: str
    producer_uri: str
    application: str
    spool_dir: str
    spool_max_bytes: int
    exit_timeout_s: float
    api_key: str | None
    code_version: str | None
    kafka: Mapping[str, Any] = MappingProxyType({})
    """``[lineage.kafka]`` as it stands; the Kafka transport reads it."""


class Key(NamedTuple):
    """One setting: its argument, where else it may stand, and how its value is read."""

    name: str
    file_path: tuple[str, ...]
    variables: tuple[tuple[str, Callable[[str, Any], Any]], ...]
    read: Callable[[str, Any], Any]


def _key(name: str, table: str, *variables: str, read: Callable[[str, Any], Any] = a_text, key: str = "") -> Key:
    return Key(name, (*table.split("."), key or name), tuple((variable, read) for variable in variables), read)


KEYS: tuple[Key, ...] = (
    Key(
        "enabled", ("lineage", "enabled"), ((ENV_DISABLED, a_not_bool), (ENV_OPENLINEAGE_DISABLED, a_not_bool)), a_bool
    ),
    _key("url", "lineage", ENV_URL, ENV_OPENLINEAGE_URL, read=urls),
    _key("collector_topic", "lineage", env.ENV_TOPIC),
    _key("job_namespace", "lineage.producer", ENV_NAMESPACE, ENV_OPENLINEAGE_NAMESPACE),
    _key("producer_uri", "lineage.producer", env.ENV_PRODUCER_URI),
    _key("application", "lineage.producer", ENV_APPLICATION),
    _key("spool_dir", "lineage.producer", ENV_SPOOL),
    _key("spool_max_bytes", "lineage.producer", env.ENV_SPOOL_MAX_BYTES, read=a_size),
    _key("exit_timeout_s", "lineage.producer", env.ENV_EXIT_TIMEOUT, read=a_duration),
    _key("api_key", "lineage.producer", env.ENV_API_KEY, env.ENV_OPENLINEAGE_API_KEY, read=a_secret),
    _key("code_version", "lineage.producer", env.ENV_CODE_VERSION),
    _key("kafka", "lineage", read=a_table),
)
"""Every setting there is."""


def resolve(arguments: Mapping[str, Any], environ: Mapping[str, str] | None = None, directory: str = "") -> Settings:
    """The settings by the one order. None as an argument counts as not given. Raises ConfigurationError."""
    environ = os.environ if environ is None else environ
    known = {key.name for key in KEYS}
    for name in arguments:
        if name not in known:
            raise ConfigurationError(name, arguments[name], f"no such setting; there are {', '.join(sorted(known))}")
    said: dict[str, Any] = {}
    file: Mapping[str, Any] | None = None
    for key in KEYS:
        if arguments.get(key.name) is not None:
            said[key.name] = key.read(key.name, arguments[key.name])
            continue
        if key.name == "enabled" and (off := _disabled(key, environ)) is not None:
            said[key.name] = off
            continue
        variable = next(((one, read) for one, read in key.variables if environ.get(one, "").strip()), None)
        if key.name != "enabled" and variable is not None:
            said[key.name] = variable[1](variable[0], environ[variable[0]].strip())
            continue
        if file is None:
            from ._settings_file import read_file

            file = read_file(environ, directory)
        value = _at(file, key.file_path)
        if value is not None:
            said[key.name] = key.read(".".join(key.file_path), value)
    return _complete(said, environ)


def _disabled(key: Key, environ: Mapping[str, str]) -> bool | None:
    """False as soon as one of the variables turns lineage off, True if one says expressly that it is not off."""
    answers = [read(name, environ[name].strip()) for name, read in key.variables if environ.get(name, "").strip()]
    return all(answers) if answers else None


def _at(file: Mapping[str, Any], path: tuple[str, ...]) -> Any:
    value: Any = file
    for part in path:
        value = value.get(part) if isinstance(value, Mapping) else None
    return value


def _complete(said: Mapping[str, Any], environ: Mapping[str, str]) -> Settings:
    application = said.get("application") or main_name()
    return Settings(
        enabled=said.get("enabled", True),
        urls=said.get("url", ()),
        topic=said.get("collector_topic", DEFAULT_TOPIC),
        job_namespace=said.get("job_namespace", "default"),
        producer_uri=said.get("producer_uri", f"urn:headwater:producer:{VERSION}"),
        application=application,
        spool_dir=os.path.abspath(os.path.expanduser(said.get("spool_dir") or _spool_dir(application, environ))),
        spool_max_bytes=said.get("spool_max_bytes", _SPOOL_MAX_BYTES),
        exit_timeout_s=said.get("exit_timeout_s", 3.0),
        api_key=said.get("api_key"),
        code_version=said.get("code_version"),
        kafka=said.get("kafka") or MappingProxyType({}),
    )


def _spool_dir(application: str, environ: Mapping[str, str]) -> str:
    """The user's state directory by the XDG base directory specification."""
    state = environ.get("XDG_STATE_HOME", "")
    if not os.path.isabs(state):
        state = os.path.join(os.path.expanduser("~"), ".local", "state")
    return os.path.join(state, "headwater", "spool", directory_name(application))
