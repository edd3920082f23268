"""Reading a request's body whole, within limits, before anything looks at it."""

from __future__ import annotations

import zlib
from collections.abc import Iterable

from starlette.types import Receive

from .answers import Refusal

_GZIP_WBITS = 31
_CHUNK_BYTES = 1 << 20


class ClientGone(Exception):
    """The client hung up before its body was whole; there is nobody to answer."""


def check_headers(headers: Iterable[tuple[bytes, bytes]], max_bytes: int) -> bool:
    """Whether the body is gzip. Raises Refusal 415 for what cannot be read and 413 for a body announced too large."""
    gzipped = False
    for name, value in headers:
        if name == b"content-type":
            _check_content_type(value)
        elif name == b"content-encoding":
            gzipped = _is_gzip(value)
        elif name == b"content-length" and value.isdigit() and int(value[:20]) > max_bytes:
            raise too_large(max_bytes)
    return gzipped


async def read(receive: Receive, max_bytes: int) -> bytes:
    """The body as sent. Raises Refusal 413 as soon as it grows over ``max_bytes``, ClientGone."""
    message = await receive()
    if message["type"] == "http.request" and not message.get("more_body"):
        whole: bytes = message.get("body", b"")
        if len(whole) > max_bytes:
            raise too_large(max_bytes)
        return whole
    chunks: list[bytes] = []
    size = 0
    while message["type"] == "http.request":
        chunk = message.get("body", b"")
        size += len(chunk)
        if size > max_bytes:
            raise too_large(max_bytes)
        chunks.append(chunk)
        if not message.get("more_body"):
            return b"".join(chunks)
        message = await receive()
    raise ClientGone


def gunzip(body: bytes, max_bytes: int) -> bytes:
    """The body unpacked. Raises Refusal 413 as soon as it grows over ``max_bytes``, 400 if it is no whole gzip."""
    out: list[bytes] = []
    size = 0
    rest = body
    while rest:
        unpacker = zlib.decompressobj(_GZIP_WBITS)
        while not unpacker.eof:
            try:
                part = unpacker.decompress(rest, _CHUNK_BYTES)
            except zlib.error as error:
                raise Refusal(400, f"the body is not valid gzip: {error}") from error
            rest = unpacker.unconsumed_tail
            size += len(part)
            if size > max_bytes:
                raise too_large(max_bytes)
            out.append(part)
            if not part and not rest and not unpacker.eof:
                raise Refusal(400, "the body is not valid gzip: it ends too early")
        rest = unpacker.unused_data
    return b"".join(out)


def too_large(max_bytes: int) -> Refusal:
    # The rest of the body is not read, so the connection cannot serve another request.
    return Refusal(413, f"the body is larger than {max_bytes} bytes", headers={"connection": "close"})


def _check_content_type(value: bytes) -> None:
    media_type = value.partition(b";")[0].strip().lower()
    if media_type and media_type not in (b"application/json", b"text/json") and not media_type.endswith(b"+json"):
        shown = media_type.decode("latin-1")
        raise Refusal(415, f"Content-Type {shown} is not JSON: send application/json")


def _is_gzip(value: bytes) -> bool:
    encoding = value.strip().lower()
    if encoding in (b"", b"identity"):
        return False
    if encoding in (b"gzip", b"x-gzip"):
        return True
    raise Refusal(415, f"Content-Encoding {encoding.decode('latin-1')} is not read: send gzip or none")
