"""``deployer bench kernels``: the kernels on the layers of six reference networks."""

from __future__ import annotations

from typing import Any

import click

from deployer.cli.options import board_dir_option, hot_code_option, json_option, place_option
from deployer.cli.table_file import output_option
from deployer.cli.timing_options import timing_options


@click.command("kernels")
@click.option("-b", "--board", default="nucleo-f767zi", show_default=True, help="Board name.")
@click.option("--network", "names", multiple=True, help="Only this one. Repeatable.")
@click.option(
    "--against",
    metavar="cmsis-nn=LIB.a,INCLUDE",
    help="Your build of CMSIS-NN and its Include folder: the same layers through it, side by side.",
)
@place_option()
@hot_code_option()
@timing_options
@board_dir_option()
@output_option()
@json_option()
def command(**given: Any) -> None:
    """Counted instructions and estimated cycles of every kernel on the layers of six networks:
    ResNet-8, VWW, KWS, autoencoder (MLPerf Tiny), MobileNetV1-0.5@192, uPyD-Net@48.

    The networks are the zoo's, weights and ranges from noise: times depend on shapes. Exit status 7
    when --gate is missed, 5 when CMSIS-NN's outputs are not those of its arithmetic.
    """
    from deployer.cli.bench_kernels_job import carry_out

    carry_out(given)
