"""``headwater evidence``, ``headwater evidence verify`` and ``headwater evidence keygen``."""

from __future__ import annotations

import typer

from ...default_group import ITSELF, DefaultGroup
from . import keygen, showing, verifying

app = typer.Typer(
    cls=DefaultGroup,
    rich_markup_mode=None,
    help="Say which run, code and inputs made a generation.",
)
app.command(ITSELF, hidden=True, epilog="See also: headwater evidence verify --help, headwater evidence keygen --help")(
    showing.evidence
)
app.command("verify")(verifying.verify)
app.command("keygen")(keygen.keygen)
