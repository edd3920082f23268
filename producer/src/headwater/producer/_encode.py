"""From what the application hands over to the bytes of one event, on the application's thread.

The usual dict goes straight through the C encoder of orjson (if installed) or of the standard library. What they
refuse takes the slow way, ``plain``, so that the bytes do not depend on which of them is there: NaN and Infinity
become null, half of a surrogate pair becomes U+FFFD.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from typing import Any

from headwater.shared.errors import ConfigurationError
from headwater.shared.limits import DEFAULT_LIMITS
from headwater.shared.names import ENV_JSON

from ._plain import UnserialisableError, one_level, plain

Encoder = Callable[[Any], bytes]
_encoder: Encoder | None = None


def to_bytes(event: object) -> bytes:
    """One event as compact UTF-8 JSON: a dict, bytes or text that hold a JSON object, or an openlineage-python event.

    Raises UnserialisableError.
    """
    if type(event) is dict:
        return dumps(event)
    if isinstance(event, (bytes, bytearray, memoryview)):
        return _checked(bytes(event))
    if isinstance(event, str):
        return _checked(event.encode("utf-8", "surrogatepass"))
    if hasattr(type(event), "__attrs_attrs__"):
        return dumps(openlineage_dict(event))
    value = plain(event)
    if not isinstance(value, dict):
        raise UnserialisableError(f"a {type(event).__name__} is no event")
    return dumps(value)


def dumps(value: Any) -> bytes:
    """Compact JSON of any value. Raises UnserialisableError."""
    global _encoder
    encoder = _encoder
    if encoder is None:
        encoder = _encoder = _choose()
    try:
        return encoder(value)
    except (TypeError, ValueError, RecursionError):
        return _exact(plain(value))


def _exact(value: Any) -> bytes:
    import json

    try:
        return json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":")).encode()
    except (TypeError, ValueError, RecursionError) as error:
        raise UnserialisableError(str(error)) from None


def _choose() -> Encoder:
    """HEADWATER_JSON forces an engine; without it orjson if it is installed."""
    wish = os.environ.get(ENV_JSON, "").strip().lower()
    if wish not in ("", "stdlib", "orjson"):
        raise ConfigurationError(ENV_JSON, wish, "use stdlib or orjson, or leave it unset")
    return _stdlib() if wish == "stdlib" else _orjson() or _stdlib()


def _orjson() -> Encoder | None:
    try:
        import orjson
    except ImportError:
        return None
    options = orjson.OPT_PASSTHROUGH_DATACLASS | orjson.OPT_PASSTHROUGH_DATETIME
    orjson_dumps = orjson.dumps
    return lambda value: orjson_dumps(value, one_level, options)


def _stdlib() -> Encoder:
    import json

    encode = json.JSONEncoder(
        ensure_ascii=False, allow_nan=False, separators=(",", ":"), check_circular=False, default=one_level
    ).encode
    return lambda value: encode(value).encode()


def check_engine() -> None:
    """Chooses the engine anew by the environment. Raises ConfigurationError."""
    global _encoder
    _encoder = _choose()


def openlineage_dict(value: object) -> Any:
    """An attrs object of openlineage-python (event, dataset or facet) as its own Serde writes it."""
    serde = sys.modules.get("openlineage.client.serde")
    if serde is None:
        import importlib

        serde = importlib.import_module("openlineage.client.serde")
    return serde.Serde.to_dict(value)


def _checked(raw: bytes) -> bytes:
    """Bytes are sent as they are if they hold one JSON object; NaN and lone surrogates in them are mended."""
    import json

    strange: list[str] = []
    try:
        value = json.loads(raw, parse_constant=strange.append)
    except (ValueError, RecursionError) as error:
        raise UnserialisableError(f"no JSON: {error}") from None
    if not isinstance(value, dict):
        raise UnserialisableError("JSON, but no object")
    if strange or b"\0" in raw or not raw.lstrip().startswith(b"{"):  # NaN, or UTF-16 or -32, or a byte order mark
        return _exact(plain(value))
    if b"\\u" in raw or not raw.isascii():
        try:
            raw.decode()
            _exact(value)
        except (UnicodeDecodeError, UnserialisableError):
            return _exact(plain(value))
    return raw


def fits(payload: bytes) -> bool:
    """Whether the collector takes an event of this size."""
    return len(payload) <= DEFAULT_LIMITS.max_event_bytes
