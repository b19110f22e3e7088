"""``deployer bench tiles``: networks in tiles of an inner memory, by tiler and size of memories."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from deployer.choices import TilerName
from deployer.cli.option_types import ChoiceParamType, ListType, SizeType
from deployer.cli.options import board_dir_option, json_option, limit_option
from deployer.cli.table_file import output_option


@click.command("tiles")
@click.argument("models", nargs=-1, metavar="[MODEL]...")
@click.option("-b", "--board", default="gap8", show_default=True, help="Board name.")
@click.option(
    "--runner",
    "runners",
    type=ListType(click.STRING),
    default=(),
    help="Names, commas between; default: the board's first.",
)
@click.option(
    "--tiler",
    "tilers",
    type=ListType(ChoiceParamType(TilerName)),
    default=(TilerName.COST.value,),
    help="cost: fewest estimated cycles; dory: its objective; size: that without heuristics.",
)
@click.option(
    "--l1",
    "inner",
    type=ListType(SizeType()),
    default=(None,),
    help="Bytes of the memory that holds tiles, stacks included; default: the board's.",
)
@click.option(
    "--l2",
    "outer",
    type=ListType(SizeType()),
    default=(None,),
    help="Bytes of the arena's memory; default: the board's.",
)
@click.option(
    "--point",
    default="",
    metavar="NAME",
    help="At this operating point of the board file, its clocks and voltage, or at a pair of"
    " clocks such as 250-175MHz.",
)
@click.option(
    "--fc-clock",
    "fabric_mhz",
    type=click.IntRange(min=1),
    metavar="MHZ",
    help="Clock of the core that leads; default: the board's.",
)
@click.option(
    "--cluster-clock",
    "cluster_mhz",
    type=click.IntRange(min=1),
    metavar="MHZ",
    help="Clock of the cluster; default: the board's.",
)
@click.option("--layers", is_flag=True, help="A table of the layers of every row, too.")
@click.option(
    "--plot", type=click.Path(path_type=Path), help="Draw MAC/cycle over --l1 to this .svg."
)
@limit_option("a build or run")
@board_dir_option()
@output_option()
@json_option()
def command(**given: Any) -> None:
    """Run each MODEL in tiles, bit-exact, for every tiler and size of memory; MODEL is an ONNX file
    or one of the reference networks (default: all of them).

    Cycles are those of the runners, beside the tiler's estimate. What does not fit is told and no
    failure. Exit status: 5 when a row is not exact, 6, 3 or 7 when one could not run, is not
    supported or took too long.
    """
    from deployer.cli.jobs.bench_tiles import carry_out

    carry_out(given)
