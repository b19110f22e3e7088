"""Command groups whose commands are imported when called, so ``--help`` answers at once."""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from typing import Any

import click


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

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl(list(self._lines.items()))
