"""Names to keys, for every reading module."""

from __future__ import annotations

from collections.abc import Iterable

from headwater.collector.stores.sql.keys import name_key
from headwater.shared.event import Name


def keys_of(names: Iterable[Name]) -> dict[bytes, Name]:
    return {name_key(name): name for name in names}
