"""``headwater audit``: seals over the stored events."""

from __future__ import annotations

import typer

from . import head, seal, verify

app = typer.Typer(
    no_args_is_help=True,
    rich_markup_mode=None,
    help="Seal stored events, and find what was altered.",
)
app.command("seal")(seal.seal)
app.command("verify")(verify.verify)
app.command("head")(head.head)
