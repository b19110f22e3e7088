"""``deployer lab check``: test the benches of a lab."""

from __future__ import annotations

from pathlib import Path

import click

from deployer.cli.options import board_dir_option, json_option, lab_option


@click.command("check")
@lab_option()
@board_dir_option()
@json_option()
@click.argument("benches", nargs=-1, metavar="[BENCH]…")
def command(
    benches: tuple[str, ...], lab: Path | None, board_dir: Path | None, as_json: bool
) -> None:
    """Test the benches that are named, or all.

    Power goes off and on, the probe resets the board, the console is asked which image is there, an
    emulator is started. Nothing is built or programmed. A bench that fails is named with the cause
    (exit status 6), and so is one that another process holds.
    """
    from deployer.cli.jobs.lab import checked

    checked(lab, board_dir, benches, as_json=as_json)
