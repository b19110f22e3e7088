"""``deployer bench zoo``: the table of zoo networks by boards."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from deployer.choices import GraphStyle, Objective, SchemeName
from deployer.cli.option_types import ChoiceParamType, ResolutionType
from deployer.cli.options import board_dir_option, choice_option, json_option, limit_option
from deployer.cli.table_file import output_option


@click.command("zoo")
@click.argument("names", nargs=-1, metavar="[NAME]...")
@click.option(
    "-b",
    "--board",
    "boards",
    multiple=True,
    default=("nucleo-f767zi", "gap8", "rpi3"),
    show_default=True,
    help="Repeatable.",
)
@click.option(
    "--style",
    "styles",
    type=ChoiceParamType(GraphStyle),
    multiple=True,
    default=(GraphStyle.TORCHSCRIPT.value, GraphStyle.DYNAMO.value),
    show_default=True,
    help="Exporter's style of graph. Repeatable.",
)
@click.option(
    "--scheme",
    "schemes",
    type=ChoiceParamType(SchemeName),
    multiple=True,
    default=(SchemeName.MULTIPLY_SHIFT.value,),
    show_default=True,
    help="Quantization scheme. Repeatable.",
)
@click.option("--width", type=float, help="Of all networks, in place of the edge size's.")
@click.option(
    "--resolution",
    type=ResolutionType(),
    metavar="N|HxW",
    help="Of all inputs, in place of the edge size's.",
)
@choice_option(
    "--optimize",
    Objective.TIME,
    told="Goal of restructuring, as for deployer run.",
)
@click.option("--stream-input", is_flag=True, help="Take the input by rows where that saves RAM.")
@click.option(
    "--golden",
    type=click.IntRange(min=1),
    default=2,
    show_default=True,
    help="Samples proven layer by layer.",
)
@click.option(
    "--threads",
    type=click.IntRange(min=1),
    help="That share each step, on boards with an operating system; default: as their files state.",
)
@limit_option("a row")
@click.option(
    "--work",
    type=click.Path(path_type=Path),
    default=Path("build/bench-zoo"),
    show_default=True,
    help="Folder that keeps the finished rows.",
)
@click.option("--resume", is_flag=True, help="Take rows that were fine from --work.")
@board_dir_option()
@output_option()
@json_option()
def command(**given: Any) -> None:
    """Build each NAME of the zoo (default: all) at its edge size, run it in each board's emulator
    and prove every layer bit-exact.

    What does not fit a board is told with the bytes too many and is no failure. Exit status: 5 when
    a row is not exact, 6, 3 or 7 when one could not run, is not supported or took too long.
    """
    from deployer.cli.jobs.bench_zoo import carry_out

    carry_out(given)
