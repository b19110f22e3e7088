"""``deployer bench board``: cycles of every layer, measured on the board."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from deployer.cli.option_sets import probe_options
from deployer.cli.options import (
    board_or_bench_options,
    build_folder_option,
    json_option,
    network_options,
)
from deployer.cli.table_file import output_option


@click.command("board")
@board_or_bench_options
@probe_options
@build_folder_option("--work")
@network_options
@output_option()
@json_option()
@click.argument("model", type=click.Path(path_type=Path))
def command(**given: Any) -> None:
    """Measure MODEL on the board itself: cycles of every layer, cold and warm.

    Cold is the first inference after a reset, warm the one behind two more. Clock and caches are
    read back from the chip; with another clock or a cache off nothing is told (exit status 6).
    """
    from deployer.cli.jobs.bench_board import carry_out

    carry_out(given)
