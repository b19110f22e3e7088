"""``deployer bench threads``: a network on one to four threads, without a board."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from deployer.cli.option_sets import model_options
from deployer.cli.options import (
    board_option,
    build_folder_option,
    json_option,
    network_options,
)
from deployer.cli.table_file import output_option


@click.command("threads")
@board_option()
@model_options
@click.option("--least", type=float, help="Fail where the most threads give a lower speed-up.")
@build_folder_option("--work")
@network_options
@output_option()
@json_option()
@click.argument("model", type=click.Path(path_type=Path))
def command(**given: Any) -> None:
    """Estimate MODEL on 1 to --threads threads (default: 4): counted work of each one in every
    layer, and the time that a schedule of it takes.

    Exit status 7 when --least is missed.
    """
    from deployer.cli.jobs.bench_threads import carry_out

    carry_out(given)
