"""Stores by name: whatever is installed under the entry point group ``headwater.stores``."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Mapping
from importlib.metadata import EntryPoint, entry_points
from typing import Any, Final, NamedTuple

from headwater.collector.redact import redacted
from headwater.collector.settings import Settings
from headwater.collector.stores.base import LineageStoreProtocol
from headwater.shared.errors import ConfigurationError

GROUP: Final = "headwater.stores"
"""The entry point group. An entry names a class, or a function that returns a store."""
COMPOSITE: Final = "composite"
"""The one name that stands for several; ``LineageManager`` builds it."""

_CONNECTION = "connection_name"


def chosen_stores(settings: Settings) -> tuple[str, ...]:
    """The names of the configured stores: of the composite's members, or of the one."""
    store = settings.lineage.store
    return tuple(store.backends) if store.backend == COMPOSITE else (store.backend,)


class InstalledStore(NamedTuple):
    """One entry point."""

    name: str
    distribution: str
    """The package it comes from."""
    version: str
    target: str
    """``module:attribute``."""


def installed(entries: Iterable[EntryPoint] | None = None) -> list[InstalledStore]:
    """Every installed store, by name. Imports none of them."""
    found = entry_points(group=GROUP) if entries is None else entries
    return sorted(
        InstalledStore(
            entry.name,
            entry.dist.name if entry.dist else "unknown",
            entry.dist.version if entry.dist else "unknown",
            entry.value,
        )
        for entry in found
    )


def build_store(
    name: str, settings: Settings, entries: Iterable[EntryPoint] | None = None, *, read_only: bool = False
) -> LineageStoreProtocol:
    """The store of that name, not opened. ``read_only``: it will only be read; a store that knows the argument then
    makes and changes nothing.

    The keys of ``[lineage.store.<name>]`` are its keyword arguments, and ``name`` is another; a key that ends in
    ``connection_name`` becomes ``connection``, the named ``ConnectionSettings``; the key ``type`` says which installed
    store it is, if that is not the name. Raises ConfigurationError.
    """
    section = f"lineage.store.{name}"
    options = dict(settings.lineage.store.options(name))
    factory = _load(
        str(options.pop("type", name)), "lineage.store", list(entry_points(group=GROUP) if entries is None else entries)
    )
    for key in [key for key in options if key.endswith(_CONNECTION)]:
        options["connection"] = settings.connection(str(options.pop(key)), asked_by=f"{section}.{key}")
    options["name"] = name
    _check_keys(factory, options, section)
    if read_only and "read_only" in _parameters(factory):
        options["read_only"] = True
    try:
        store = factory(**options)
    except (TypeError, ValueError) as error:
        raise ConfigurationError(section, sorted(options), str(error)) from error
    if not isinstance(store, LineageStoreProtocol):
        raise ConfigurationError(section, type(store).__name__, "is no store: open, write, ping or close is missing")
    return store


def _load(kind: str, key: str, entries: list[EntryPoint]) -> Callable[..., Any]:
    matching = [entry for entry in entries if entry.name == kind]
    if not matching:
        names = ", ".join(sorted({entry.name for entry in entries})) or "none"
        raise ConfigurationError(key, kind, f"no such store is installed; installed are: {names}")
    if len({entry.value for entry in matching}) > 1:
        sources = ", ".join(sorted(entry.value for entry in matching))
        raise ConfigurationError(key, kind, f"two packages claim this name: {sources}; uninstall one")
    try:
        factory = matching[0].load()
    except (ImportError, AttributeError) as error:
        remedy = f"{matching[0].value} cannot be imported ({error}); install the extra that it needs"
        raise ConfigurationError(key, kind, remedy) from error
    if not callable(factory):
        raise ConfigurationError(key, kind, f"{matching[0].value} is neither a class nor a function")
    return factory  # type: ignore[no-any-return]


def _check_keys(factory: Callable[..., Any], options: dict[str, Any], section: str) -> None:
    parameters = _parameters(factory)
    if not parameters or any(parameter.kind is parameter.VAR_KEYWORD for parameter in parameters.values()):
        return
    for key in options:
        if key not in parameters:
            accepted = ", ".join(sorted(name for name in parameters if name not in {"name", "read_only"})) or "none"
            raise ConfigurationError(
                f"{section}.{key}", redacted(options[key], key), f"unknown key; accepted are: {accepted}"
            )


def _parameters(factory: Callable[..., Any]) -> Mapping[str, inspect.Parameter]:
    try:
        return inspect.signature(factory).parameters
    except ValueError:  # some built-in callables have none
        return {}
