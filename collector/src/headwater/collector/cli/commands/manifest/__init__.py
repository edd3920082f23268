"""``headwater manifest``: replay manifests, compared with each other and with the store."""

from __future__ import annotations

import typer

from . import diff, verify

app = typer.Typer(
    no_args_is_help=True,
    rich_markup_mode=None,
    help="Compare replay manifests, or check one.",
)
app.command("diff")(diff.diff)
app.command("verify")(verify.verify)
