"""``headwater evidence keygen``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from ...options import JsonOption
from ...output import show_json, show_lines


def keygen(
    file: Annotated[Path, typer.Argument(metavar="FILE", show_default=False, help="For the private key; must be new.")],
    as_json: JsonOption = False,
) -> None:
    """Make an Ed25519 key pair for signing evidence.

    FILE gets the private key, readable by its owner alone, FILE.pub the public one, which auditors need.

    Example: headwater evidence keygen release.key
    """
    from headwater.collector.exports.keys import make_key

    key = make_key(file)
    if as_json:
        show_json({"private": str(file), "public": f"{file}.pub", "keyId": key.key_id})
        return
    show_lines([f"private key  {file}  (keep it secret)", f"public key   {file}.pub", f"key id       {key.key_id}"])
