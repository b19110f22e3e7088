"""``deployer bench depth``: depth networks as floats and as integers, beside paper 001."""

from __future__ import annotations

from typing import Any

import click

from deployer.cli.option_sets import model_options
from deployer.cli.option_types import ResolutionType
from deployer.cli.options import board_dir_option, build_folder_option, json_option
from deployer.cli.table_file import output_option


@click.command("depth")
@click.option("-b", "--board", default="rpi3", show_default=True, help="Board name.")
@click.option("--network", "names", multiple=True, help="Only this one. Repeatable.")
@click.option(
    "--resolution",
    type=ResolutionType(),
    metavar="N|HxW",
    help="Of the input; by default the papers': 256x512 of PyD-Net, 48x48 of uPyD-Net.",
)
@click.option(
    "--threads", type=click.IntRange(1, 4), default=4, show_default=True, help="That share layers."
)
@click.option(
    "--watts",
    type=click.FloatRange(min=0, min_open=True),
    default=3.5,
    show_default=True,
    help="Assumed power of the board, for frames per joule.",
)
@click.option(
    "--least",
    "least",
    multiple=True,
    metavar="FX8=RATIO|FX16=RATIO",
    help="Fail where integers are fewer times as fast as floats. Repeatable.",
)
@click.option("--resume", is_flag=True, help="Take rows that a command before left in --work.")
@model_options
@build_folder_option("--work")
@board_dir_option()
@output_option()
@json_option()
def command(**given: Any) -> None:
    """What PyD-Net and uPyD-Net take in float32, int16 and int8: bytes, estimated time, frames per
    second and per joule, beside table 3.3 of paper 001.

    The networks are the zoo's, with random weights: times depend on shapes. Exit status 5 when a
    step is not golden, 7 when --least is missed.
    """
    from deployer.cli.jobs.bench_depth import carry_out

    carry_out(given)
