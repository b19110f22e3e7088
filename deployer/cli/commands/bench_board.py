"""``deployer bench board``: counts of every layer, latencies and throughput on the board."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from deployer.cli.option_sets import load_options, probe_options
from deployer.cli.options import (
    board_or_bench_options,
    build_folder_option,
    json_option,
    network_options,
    results_option,
)
from deployer.cli.table_file import output_option


@click.command("board")
@board_or_bench_options
@click.option("--runner", default="", help="An emulator that counts; default: the board itself.")
@probe_options
@load_options
@click.option(
    "--point",
    "points",
    multiple=True,
    metavar="NAME",
    help="Measure at these operating points of the board file, each with its own image, or at all.",
)
@click.option(
    "--meter",
    default="",
    metavar="METER[:OPTIONS]",
    help="Measure energy too, for frames a joule: see deployer bench energy.",
)
@results_option()
@build_folder_option("--work")
@network_options
@output_option()
@json_option()
@click.argument("model", type=click.Path(path_type=Path))
def command(**given: Any) -> None:
    """Measure MODEL on the board itself: latency, throughput, cycles of every layer.

    Cold is the first inference after a reset, warm one behind others. Clock and caches are read
    back from the chip; with another clock or a cache off nothing is told (exit status 6). An
    emulator gives what it counts: instructions are no time, simulated cycles a simulated one.
    """
    from deployer.cli.jobs.bench_board import carry_out

    carry_out(given)
