"""Where events go. One module a scheme, imported when a URL asks for it; a new scheme is a new file and a line here."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from headwater.shared.errors import ConfigurationError

from .base import DELIVERED, Outcome, Transport

if TYPE_CHECKING:
    from .._settings import Settings

__all__ = ["DELIVERED", "SCHEMES", "Outcome", "Transport", "TransportModule", "build", "split_urls"]

SCHEMES = {
    "http": "http",
    "https": "http",
    "file": "file",
    "console": "console",
    "memory": "memory",
    "kafka": "kafka",
}
"""URL scheme to module of this package."""

_ACCEPTED = "use http(s)://host:port, file:///path, kafka://host:port/topic, console: or memory:"


class TransportModule(Protocol):
    """What a transport's module offers. Importing it MUST load no client library; the sender's thread does that."""

    def from_url(self, url: str, settings: Settings) -> Transport:
        """The transport for ``url``, not yet connected. Raises ConfigurationError for a URL that it cannot use."""
        ...


def build(settings: Settings) -> Transport:
    """The transport that the settings ask for; several URLs make a composite. Raises ConfigurationError."""
    built = [_one(url, settings) for url in settings.urls]
    if len(built) == 1:
        return built[0]
    from .composite import CompositeTransport

    return CompositeTransport(built)


def _one(url: str, settings: Settings) -> Transport:
    module = SCHEMES.get(url.partition(":")[0].lower())
    if module is None or ":" not in url:
        raise ConfigurationError("url", shown(url), _ACCEPTED)
    import importlib

    try:
        found: TransportModule = importlib.import_module(f"{__name__}.{module}")
    except ModuleNotFoundError as error:
        if error.name != f"{__name__}.{module}":
            raise
        remedy = (
            f"the {module} transport is not part of this build; {_ACCEPTED.replace(', kafka://host:port/topic', '')}"
        )
        raise ConfigurationError("url", shown(url), remedy) from None
    return found.from_url(url, settings)


def split_urls(text: str) -> list[str]:
    """The URLs in a text, with commas between. A comma within a URL (a list of hosts) divides nothing."""
    parts: list[str] = []
    for part in text.split(","):
        scheme = part.strip().partition(":")[0].lower()
        if parts and scheme not in SCHEMES:
            parts[-1] += "," + part
        else:
            parts.append(part.strip())
    return parts


def shown(url: str) -> str:
    """The URL without what may be a secret in it: user, password and query."""
    scheme, slashes, rest = url.partition("://")
    if not slashes:
        return url
    authority, slash, path = rest.partition("/")
    return f"{scheme}://{authority.rpartition('@')[2]}{slash}{path.partition('?')[0]}"
