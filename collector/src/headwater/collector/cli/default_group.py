"""A command that has subcommands and is one itself: ``headwater evidence shop revenue``, ``evidence verify``."""

from __future__ import annotations

from typing import Any

import typer.core

ITSELF = "itself"
"""The name of the command that a group is where no subcommand is named; nobody types it."""


class DefaultGroup(typer.core.TyperGroup):
    """What does not begin with a subcommand's name is for the command ``ITSELF``. A first argument that happens to have
    such a name goes behind ``--``."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        named = bool(args) and args[0] in self.commands and args[0] != ITSELF
        return super().parse_args(ctx, args if named else [ITSELF, *args])

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        name, command, rest = super().resolve_command(ctx, args)
        return ("" if name == ITSELF else name), command, rest
