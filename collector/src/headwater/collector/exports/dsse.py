"""Dead Simple Signing Envelope, version 1, with Ed25519.

``pip install 'headwater-collector[signing]'`` brings the ``cryptography`` that it needs.
"""

from __future__ import annotations

import base64
import binascii
import json
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from headwater.collector.questions.shapes import Json

if TYPE_CHECKING:
    from headwater.collector.exports.keys import PublicKey, SigningKey

MAX_BYTES: Final = 64 * 1024 * 1024
"""Of an envelope's file."""


class EnvelopeError(ValueError):
    """This is no envelope, or no key of ours signed it; the text says which."""


class Opened(NamedTuple):
    """An envelope whose signature is good."""

    payload: bytes
    payload_type: str
    key_id: str
    """Of the key that signed it."""


def pae(payload_type: str, payload: bytes) -> bytes:
    """Pre-authentication encoding: what is signed."""
    kind = payload_type.encode()
    return b"DSSEv1 %d %b %d %b" % (len(kind), kind, len(payload), payload)


def sign(payload: bytes, payload_type: str, key: SigningKey) -> Json:
    """The envelope, ready for JSON."""
    signature = key.sign(pae(payload_type, payload))
    return {
        "payload": base64.b64encode(payload).decode(),
        "payloadType": payload_type,
        "signatures": [{"keyid": key.public.key_id, "sig": base64.b64encode(signature).decode()}],
    }


def open_envelope(raw: bytes, payload_type: str, keys: Iterable[PublicKey]) -> Opened:
    """Its content, if one of ``keys`` signed it as ``payload_type``. Raises EnvelopeError.

    A key id is a hint and proves nothing: every signature is tried with every key.
    """
    envelope = _parse(raw)
    if envelope["payloadType"] != payload_type:
        raise EnvelopeError(f"payloadType {envelope['payloadType']!r}: must be {payload_type!r}")
    payload = _decoded(envelope["payload"], "payload")
    signed = pae(payload_type, payload)
    signatures = [_decoded(each["sig"], "sig") for each in envelope["signatures"]]
    for key in keys:
        if any(key.verifies(signature, signed) for signature in signatures):
            return Opened(payload, payload_type, key.key_id)
    raise EnvelopeError(f"none of its {len(signatures)} signatures is by this key")


def _parse(raw: bytes) -> Mapping[str, Any]:
    if len(raw) > MAX_BYTES:
        raise EnvelopeError(f"{len(raw):,} bytes: an envelope has {MAX_BYTES:,} at most")
    try:
        found = json.loads(raw)
    except (ValueError, RecursionError) as error:
        raise EnvelopeError(f"no JSON: {error}") from error
    texts = isinstance(found, dict) and all(isinstance(found.get(key), str) for key in ("payload", "payloadType"))
    signatures = found.get("signatures") if texts else None
    if not isinstance(signatures, list) or not all(
        isinstance(each, dict) and isinstance(each.get("sig"), str) for each in signatures
    ):
        raise EnvelopeError("no DSSE envelope: payload, payloadType and signatures are needed")
    return dict(found)


def _decoded(text: str, where: str) -> bytes:
    """Standard or URL-safe base64, as DSSE allows."""
    try:
        return base64.b64decode(text.replace("-", "+").replace("_", "/"), validate=True)
    except (binascii.Error, ValueError) as error:
        raise EnvelopeError(f"{where}: no base64") from error
