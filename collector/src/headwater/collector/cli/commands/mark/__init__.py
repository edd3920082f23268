"""``headwater mark``: words about generations, said by events (docs/semantics.md, rules 14 and 15)."""

from __future__ import annotations

import typer

from . import saying

app = typer.Typer(
    no_args_is_help=True,
    rich_markup_mode=None,
    help="Withdraw generations or call them bad, and take that back.",
)
app.command("withdraw")(saying.command_of(saying.WITHDRAW))
app.command("restore")(saying.command_of(saying.RESTORE))
app.command("bad")(saying.command_of(saying.BAD))
app.command("clear")(saying.command_of(saying.CLEAR))
