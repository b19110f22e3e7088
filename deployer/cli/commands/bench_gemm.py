"""``deployer bench gemm``: matrix products on a board, beside XNNPACK and ruy."""

from __future__ import annotations

from typing import Any

import click

from deployer.cli.option_sets import model_options
from deployer.cli.options import board_dir_option, json_option
from deployer.cli.table_file import output_option


@click.command("gemm")
@click.option("-b", "--board", default="rpi3", show_default=True, help="Board name.")
@click.option(
    "--shape",
    "shapes",
    multiple=True,
    metavar="ROWSxDEPTHxCOLUMNS",
    help="Repeatable; default: 576x288x64, 36x512x512, 1x512x1000.",
)
@click.option(
    "--against",
    multiple=True,
    metavar="xnnpack=LIB.a|ruy=LIB.a,INCLUDE",
    help="The same products by your builds of XNNPACK's GEMM microkernels or of ruy. Repeatable.",
)
@model_options
@board_dir_option()
@output_option()
@json_option()
def command(**given: Any) -> None:
    """Counted instructions and estimated cycles of matrix products: as 1x1 convolutions, of one row
    as dense layers, of int8, int16 and fp32.

    Exit status 5 when a product is wrong, 6 when a tool fails.
    """
    from deployer.cli.jobs import bench_gemm

    bench_gemm.carry_out(given)
