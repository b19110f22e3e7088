"""``deployer lab list``: what is connected, free, held by whom, and what is wrong."""

from __future__ import annotations

from pathlib import Path

import click

from deployer.cli.options import board_dir_option, json_option, lab_option


@click.command("list")
@lab_option()
@board_dir_option()
@json_option()
def command(lab: Path | None, board_dir: Path | None, as_json: bool) -> None:
    """List the benches of a lab. Nothing is asked of a device: deployer lab check does that."""
    from deployer.cli.jobs.lab import listed

    listed(lab, board_dir, as_json=as_json)
