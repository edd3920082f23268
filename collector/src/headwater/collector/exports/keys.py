"""Ed25519 keys in PEM files. No key, and nothing made from a private one, is ever logged or part of an error."""

from __future__ import annotations

import os
import stat
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Final

from headwater.shared.errors import ConfigurationError

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey

MAX_BYTES: Final = 64 * 1024
INSTALL: Final = "pip install 'headwater-collector[signing]'"


class PublicKey:
    """Verifies. ``key_id``: the SHA-256 of the DER form (SubjectPublicKeyInfo), 64 hex digits."""

    def __init__(self, key: Ed25519PublicKey) -> None:
        from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

        self._key = key
        self.key_id = sha256(key.public_bytes(Encoding.DER, PublicFormat.SubjectPublicKeyInfo)).hexdigest()
        self.pem = key.public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo)

    def verifies(self, signature: bytes, signed: bytes) -> bool:
        """Whether this key made the signature."""
        from cryptography.exceptions import InvalidSignature

        try:
            self._key.verify(signature, signed)
        except InvalidSignature:
            return False
        return True


class SigningKey:
    """Signs."""

    def __init__(self, key: Ed25519PrivateKey) -> None:
        self._key = key
        self.public = PublicKey(key.public_key())

    def sign(self, data: bytes) -> bytes:
        """64 bytes."""
        return self._key.sign(data)

    def __repr__(self) -> str:
        return f"SigningKey(key_id={self.public.key_id!r})"


def make_key(path: Path) -> PublicKey:
    """Makes a key pair: the private key in ``path``, for its owner alone, the public one beside it with ``.pub``.
    Raises ConfigurationError if either is there, or cannot be written."""
    _library()
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
    from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat

    key = Ed25519PrivateKey.generate()
    public = PublicKey(key.public_key())
    beside = path.with_name(path.name + ".pub")
    _create(path, key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()), 0o600)
    _create(beside, public.pem, 0o644)
    return public


def _create(path: Path, content: bytes, mode: int) -> None:
    """Made with its mode: there is no moment at which others could open it."""
    try:
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, mode)
    except OSError as error:
        raise ConfigurationError("key file", str(path), f"a new file: {error.strerror}") from error
    with os.fdopen(descriptor, "wb") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())


def read_signing_key(path: Path) -> SigningKey:
    """An unencrypted PKCS #8 PEM. Raises ConfigurationError: also where others than the owner may read the file."""
    _library()
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
    from cryptography.hazmat.primitives.serialization import load_pem_private_key

    content = _read(path, private=True)
    try:
        key = load_pem_private_key(content, password=None)
    except (ValueError, TypeError):
        # The library's own text could quote the file.
        raise ConfigurationError("--sign-key", str(path), "an unencrypted Ed25519 private key in PEM") from None
    if not isinstance(key, Ed25519PrivateKey):
        raise ConfigurationError("--sign-key", str(path), "an Ed25519 key; this one is of another kind")
    return SigningKey(key)


def read_public_key(path: Path) -> PublicKey:
    """A PEM of a public key. Raises ConfigurationError."""
    _library()
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
    from cryptography.hazmat.primitives.serialization import load_pem_public_key

    try:
        key = load_pem_public_key(_read(path, private=False))
    except ValueError as error:
        raise ConfigurationError("--key", str(path), "an Ed25519 public key in PEM") from error
    if not isinstance(key, Ed25519PublicKey):
        raise ConfigurationError("--key", str(path), "an Ed25519 key; this one is of another kind")
    return PublicKey(key)


def _read(path: Path, *, private: bool) -> bytes:
    """Checks and reads one open file, so that nobody can put another in its place between."""
    try:
        with path.open("rb") as file:
            mode = os.fstat(file.fileno()).st_mode
            if private and stat.S_ISREG(mode) and mode & 0o077:
                raise ConfigurationError(
                    "--sign-key", str(path), f"a file that only its owner may read: chmod 600 {path}"
                )
            return file.read(MAX_BYTES)
    except OSError as error:
        raise ConfigurationError("key file", str(path), f"a readable file: {error.strerror}") from error


def _library() -> None:
    try:
        import cryptography  # noqa: F401
    except ImportError as error:
        raise ConfigurationError(
            "signing", "cryptography", f"the package, which is not installed: {INSTALL}"
        ) from error
