"""``deployer bench kernels``: the kernels on the layers of six reference networks, or, where they
work on tiles, on layers of one kind each."""

from __future__ import annotations

from typing import Any

import click

from deployer.cli.option_sets import timing_options
from deployer.cli.option_types import ListType
from deployer.cli.options import board_dir_option, hot_code_option, json_option, place_option
from deployer.cli.table_file import output_option

_OF_TILES = ("layers", "runners")
_OF_NETWORKS = ("names", "against", "place", "hot_code", "costs", "gate", "reason")


@click.command("kernels")
@click.option("-b", "--board", default="nucleo-f767zi", show_default=True, help="Board name.")
@click.option("--network", "names", multiple=True, help="Only this one. Repeatable.")
@click.option(
    "--against",
    metavar="cmsis-nn=LIB.a,INCLUDE",
    help="Your build of CMSIS-NN and its Include folder: the same layers through it, side by side.",
)
@click.option("--layer", "layers", multiple=True, help="In tiles: only this one. Repeatable.")
@click.option(
    "--runner",
    "runners",
    type=ListType(click.STRING),
    default=(),
    help="In tiles: names, commas between; default: the board's first.",
)
@place_option()
@hot_code_option()
@timing_options
@board_dir_option()
@output_option()
@json_option()
@click.pass_context
def command(context: click.Context, /, **given: Any) -> None:
    """Counted instructions and estimated cycles of every kernel on the layers of six networks:
    ResNet-8, VWW, KWS, autoencoder (MLPerf Tiny), MobileNetV1-0.5@192, uPyD-Net@48.

    The networks are the zoo's, weights and ranges from noise: times depend on shapes. Exit status 7
    when --gate is missed, 5 when CMSIS-NN's outputs are not those of its arithmetic.

    On a board that works on tiles of an inner memory (gap8): simulated cycles of each kind of layer
    with its data there, on all cores and on one, and what a larger one takes in tiles beyond its
    kernel. Exit status 5 when an output is not golden, 6 when a layer could not run.
    """
    from deployer.board import load_board
    from deployer.cli.jobs import bench_kernels, bench_tiled_kernels
    from deployer.tile import room_of

    board = load_board(given["board"], given["board_dir"])
    job, foreign = (
        (bench_tiled_kernels, _OF_NETWORKS) if room_of(board) else (bench_kernels, _OF_TILES)
    )
    _refuse(context, board.name, foreign)
    job.carry_out(given)


def _refuse(context: click.Context, board: str, foreign: tuple[str, ...]) -> None:
    """Raise UsageError for an option that means nothing on ``board``."""
    from deployer.errors import UsageError

    given = click.core.ParameterSource.COMMANDLINE
    for option in context.command.params:
        if option.name in foreign and context.get_parameter_source(option.name) is given:
            raise UsageError(f"bench kernels takes no {option.opts[0]} for {board}")
