"""Manifests from files."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from ...exits import UsageError
from ...files import read_file


def read_manifest(path: Path) -> dict[str, Any]:
    """Raises UsageError."""
    from headwater.collector.exports.checking import MalformedManifestError, parse_manifest

    try:
        return parse_manifest(read_file(path))
    except MalformedManifestError as error:
        raise UsageError(
            f"{path} is no replay manifest: {error}", "`headwater evidence NAMESPACE NAME --format manifest` makes one"
        ) from error
