"""Marquez stores a namespace with ``_`` for each character that its paths do not take; here it is kept as it was sent.
What a client asks for under Marquez's name is found under the real one."""

from __future__ import annotations

from typing import Final
from urllib.parse import quote, unquote_to_bytes

from headwater.collector.stores.reading import Reader
from headwater.shared.errors import TransientError

from .marquez.namespaces import Namespaces

_BEFORE: Final = "/api/v1/namespaces/"


async def real_path(reader: Reader, path: str) -> str:
    """The path of something in a namespace, with the namespace's own name; any other path as it is. ``path`` is still
    encoded."""
    if not path.startswith(_BEFORE):
        return path
    shown, slash, rest = path.removeprefix(_BEFORE).partition("/")
    if not rest or "_" not in shown:
        return path
    try:
        real = await Namespaces(reader).real_name(unquote_to_bytes(shown).decode())
    except (UnicodeDecodeError, TransientError):
        return path  # the route will say so
    return path if real is None else f"{_BEFORE}{quote(real, safe='')}{slash}{rest}"
