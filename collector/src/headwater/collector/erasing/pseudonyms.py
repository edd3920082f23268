"""Names that mean nothing, the same for the same name throughout one erasure.

They are made with a secret that is thrown away at the end: nobody can try names out afterwards. While the work goes on
the secret stands in a file, so that an erasure that was broken off goes on with the same names.
"""

from __future__ import annotations

import hmac
import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from hashlib import sha256
from pathlib import Path
from typing import Final

from headwater.shared.errors import ConfigurationError
from headwater.shared.event import Name

_CHARS: Final = 16
_SECRET_BYTES: Final = 32


class Pseudonyms:
    """See above."""

    def __init__(self, secret: bytes) -> None:
        self._secret = secret

    def _token(self, *parts: str) -> str:
        said = b"".join(len(part.encode()).to_bytes(8, "big") + part.encode() for part in parts)
        return hmac.new(self._secret, said, sha256).hexdigest()[:_CHARS]

    def name(self, name: Name) -> Name:
        """For a job or dataset; those of one namespace stay together."""
        return Name(f"erased-{self._token(name.namespace)}", f"erased-{self._token(*name)}")

    def text(self, *parts: str) -> str:
        """For a text; the same parts give the same one."""
        return f"erased-{self._token('text', *parts)}"


@contextmanager
def kept_secret(path: Path, *, keep: bool = False) -> Iterator[bytes]:
    """The secret of the erasure that was broken off there, or a new one; gone when the work ends without an error.
    ``keep``: for a dry run, which neither makes nor removes the file. Raises ConfigurationError."""
    if keep:
        yield secrets.token_bytes(_SECRET_BYTES)
        return
    try:
        secret = _read_or_make(path)
    except OSError as error:
        raise ConfigurationError("the erasure's secret", str(path), f"a file to write: {error.strerror}") from error
    yield secret
    path.unlink(missing_ok=True)


def _read_or_make(path: Path) -> bytes:
    path.parent.mkdir(parents=True, exist_ok=True)
    try:
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
    except FileExistsError:
        found = path.read_bytes()
        if len(found) != _SECRET_BYTES:
            raise ConfigurationError("the erasure's secret", str(path), "delete this file, it is torn") from None
        return found
    secret = secrets.token_bytes(_SECRET_BYTES)
    with os.fdopen(descriptor, "wb") as file:
        file.write(secret)
        file.flush()
        os.fsync(file.fileno())
    return secret
