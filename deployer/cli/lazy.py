"""Command groups whose commands are imported when called, so ``--help`` answers at once."""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from typing import Any

import click

from deployer.errors import near_hints


class LazyGroup(click.Group):
    """``commands_of`` maps each command to its one line of help; the module of command ``name`` is
    ``prefix`` followed by the name, and holds ``command``."""

    def __init__(self, *args: Any, commands_of: Mapping[str, str], prefix: str, **kwargs: Any):
        super().__init__(*args, **kwargs)
        self._lines = commands_of
        self._prefix = prefix

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(self._lines)

    def get_command(self, ctx: click.Context, name: str) -> click.Command | None:
        if name not in self._lines:
            return None
        command: click.Command = importlib.import_module(f"{self._prefix}{name}").command
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """As click's; a name that is none is refused with the nearest."""
        if args and not args[0].startswith("-") and args[0] not in self._lines:
            hints = near_hints(args[0], self._lines)
            ctx.fail("\n  ".join([f"No such command {args[0]!r}.", *hints]))
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl(list(self._lines.items()))
