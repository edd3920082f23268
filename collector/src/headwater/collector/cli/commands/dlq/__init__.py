"""``headwater dlq``: dead letters, on the local log and on Kafka."""

from __future__ import annotations

import typer

from . import listing, purge, replay, show

app = typer.Typer(
    no_args_is_help=True,
    rich_markup_mode=None,
    help="List, show, replay and purge dead letters.",
)
app.command("list")(listing.list_letters)
app.command("show")(show.show_letter)
app.command("replay")(replay.replay)
app.command("purge")(purge.purge)
