"""``deployer lab``: the benches of a lab."""

from __future__ import annotations

import click

from deployer.cli.lazy import LazyGroup

COMMANDS = {
    "list": "What is connected, free, held by whom, and what is wrong with it.",
    "check": "Test benches: power switch, probe, console, host, emulator.",
    "run": "Models by boards by options on all benches at once, every result kept.",
}


@click.group("lab", cls=LazyGroup, commands_of=COMMANDS, prefix="deployer.cli.commands.lab_")
def command() -> None:
    """List and test the benches of a lab file, and run a matrix on them (docs/lab.md).

    A bench is a board with its probe and console, or an emulator. One process at a time uses it.
    """
