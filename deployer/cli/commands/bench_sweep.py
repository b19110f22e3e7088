"""``deployer bench sweep``: many single layers on a board, and the worst of them."""

from __future__ import annotations

from typing import Any

import click

from deployer.cli.option_sets import model_options
from deployer.cli.option_types import ListType
from deployer.cli.options import board_dir_option, json_option
from deployer.cli.table_file import output_option


@click.command("sweep")
@click.option("-b", "--board", required=True, help="Board name.")
@click.option("--count", type=click.IntRange(min=1), help="Layers; default: some 230.")
@click.option("--seed", type=click.IntRange(min=0), default=0, show_default=True, help="Of draws.")
@click.option(
    "--operator",
    "operators",
    type=ListType(click.STRING),
    default=(),
    help="Only these, commas between.",
)
@click.option("--bits", type=click.Choice(["8", "16"]), help="Only activations of so many bits.")
@click.option(
    "--against",
    metavar="cmsis-nn=LIB.a,INCLUDE",
    help="Your build of CMSIS-NN and its Include folder: the same layers through it, side by side.",
)
@click.option("--worst", type=click.IntRange(min=1), default=20, show_default=True, help="Rows.")
@model_options
@board_dir_option()
@output_option()
@json_option()
def command(**given: Any) -> None:
    """Draw layers over operators, channels, windows, strides, dilations, groups, multipliers,
    planes and widths, so that every value appears, and run them, many in one image.

    It prints the worst by cycles a MAC or an element, and which share falls to portable kernels.
    Cycles are estimated where the board file has [timing], else what the board's first runner
    counts; where none counts, the kernels that are chosen. Exit status 5 when an output is not
    golden or
    CMSIS-NN's are not those of its arithmetic, 6 when a tool fails.
    """
    from deployer.cli.jobs import bench_sweep

    bench_sweep.carry_out(given)
