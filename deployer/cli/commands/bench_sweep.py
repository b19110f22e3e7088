"""``deployer bench sweep``: many single layers on a board, and the worst of them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

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
@click.option("--worst", type=click.IntRange(min=1), default=20, show_default=True, help="Rows.")
@click.option(
    "--costs",
    type=click.Path(path_type=Path),
    help="Costs of memory fitted by deployer calibrate; default: the board file's.",
)
@board_dir_option()
@output_option()
@json_option()
def command(**given: Any) -> None:
    """Draw layers over operators, channels, windows, strides, dilations, groups, multipliers,
    planes and widths, so that every value appears, and run them, many in one image.

    It prints the worst by cycles a MAC or an element, and which share falls to portable kernels.
    Cycles are estimated where the board file has [timing], else what the board's first runner
    counts; where none counts, the kernels that are chosen. Exit status 5 when an output is not
    golden, 6 when a tool fails.
    """
    from deployer.cli.jobs import bench_sweep

    bench_sweep.carry_out(given)
