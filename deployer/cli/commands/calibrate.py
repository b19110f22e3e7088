"""``deployer calibrate``: costs of memory from a board's own measurements."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from deployer.cli.options import board_dir_option, board_option, json_option


@click.command("calibrate")
@board_option()
@click.option(
    "--counts",
    "counts",
    multiple=True,
    required=True,
    type=click.Path(path_type=Path),
    help="What deployer bench model -o FILE.json counted of the measured networks. Repeatable.",
)
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path),
    help="File of the fitted costs, for bench --costs; default: costs-BOARD.toml.",
)
@board_dir_option()
@json_option()
@click.argument("records", type=click.Path(path_type=Path), nargs=-1, required=True)
def command(**given: Any) -> None:
    """Fit the costs of mispredictions and cache misses to RECORDS, the record.jsonl files that
    deployer flash leaves in 8-run/, and show how far every layer is off.

    A record taken at another clock, with caches off or in an emulator is refused.
    """
    from deployer.cli.jobs.calibrate import carry_out

    carry_out(given)
