"""Routing on the path as it was sent, so that an encoded ``/`` stays inside its segment.

ASGI servers decode ``scope["path"]`` as a whole, after which ``a%2Fb`` and ``a/b`` are the same. Here the routes match
the still encoded path instead, and `params.Segment` decodes one segment at a time.
"""

from __future__ import annotations

from urllib.parse import quote, unquote_to_bytes

from starlette.types import Scope


def encoded_path(scope: Scope) -> str:
    """The request's path, percent-encoded in one way, without a trailing slash; ``/`` for the root."""
    raw: bytes | None = scope.get("raw_path")
    if raw is None:  # optional in ASGI; what is lost then cannot be told
        raw = quote(scope["path"]).encode()
    segments = raw.split(b"/")
    while len(segments) > 2 and segments[-1] == b"":
        segments.pop()
    return "/".join(quote(unquote_to_bytes(segment), safe="") for segment in segments) or "/"
