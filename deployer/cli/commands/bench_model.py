"""``deployer bench model``: counted instructions and estimated time of models, without a board."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from deployer.cli.option_sets import timing_options
from deployer.cli.options import (
    board_option,
    build_folder_option,
    json_option,
    network_options,
)
from deployer.cli.table_file import output_option


@click.command("model")
@board_option()
@timing_options
@click.option("--loops", is_flag=True, help="Show each layer's inner loop with its cycles.")
@build_folder_option("--work")
@network_options
@output_option()
@json_option()
@click.argument(
    "models", type=click.Path(path_type=Path), nargs=-1, required=True, metavar="MODEL..."
)
def command(**given: Any) -> None:
    """Count every layer's instructions and estimate its cycles: deployer bench -b BOARD MODEL.

    The image runs in the board's emulator under a profiler (compiled on first use, so gcc is
    needed). Instructions are exact; cycles come from a model of the core and carry a stated error.
    Exit status 7 when --gate is missed.
    """
    from deployer.cli.jobs.bench_model import carry_out

    carry_out(given)
