"""``deployer check``: does a network fit a board? No toolchain needed."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from deployer.cli.options import board_option, json_option, model_argument, network_options


@click.command("check")
@board_option()
@network_options
@json_option()
@click.option(
    "--picture",
    type=click.Path(path_type=Path),
    help="Draw memory before and after planning: .svg, or .html with network, arena and tables.",
)
@click.option(
    "--smallest",
    is_flag=True,
    help="Search the smallest memory for the arena, too: the plan is made anew for each size.",
)
@click.option(
    "--front",
    is_flag=True,
    help="List the plans that no other beats: arena, flash and estimated time of each.",
)
@click.option("--plot", type=click.Path(path_type=Path), help="Draw that list to FILE.svg.")
@model_argument()
def command(
    model: Path,
    board: str,
    board_dir: Path | None,
    as_json: bool,
    picture: Path | None,
    smallest: bool,
    front: bool,
    plot: Path | None,
    **given: Any,
) -> None:
    """Import MODEL and plan its memory: layers, MACs, RAM and flash against the board.

    Exit status 0 when it fits, 3 when it holds something unsupported, 4 when it does not fit.
    """
    from deployer.cli.jobs.check import Wanted, carry_out, say, say_unserved
    from deployer.cli.options import options_from
    from deployer.pipeline import Job, make_job

    job: Job = make_job(model, board, options=options_from(given), board_dir=board_dir, notice=say)
    say_unserved(job.board)
    wanted = Wanted(picture, plot, smallest=smallest, front=front or plot is not None)
    carry_out(job, as_json, wanted)
