"""``deployer bench energy``: what an inference takes, by a meter or by recordings of one."""

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


@click.command("energy")
@click.option(
    "--meter",
    default="",
    metavar="METER[:OPTIONS]",
    help="What measures, such as joulescope, replay:trace.npz or assumed:3.5W; default: the"
    " bench's meter.",
)
@click.option(
    "--inferences",
    type=click.IntRange(min=1),
    help="In each window; default: as many as last ten seconds. A replay needs it.",
)
@click.option(
    "--keep",
    type=click.Path(path_type=Path),
    help="Keep what the meter recorded in this folder, to be replayed.",
)
@board_or_bench_options
@probe_options
@build_folder_option("--work")
@network_options
@output_option()
@json_option()
@click.argument("model", type=click.Path(path_type=Path), required=False)
def command(**given: Any) -> None:
    """Energy of an inference of MODEL on the board: five windows of ten seconds or more.

    The board's trigger pin bounds each window in the meter's own samples; the power of the idle
    board is recorded before and after and subtracted. What the samples do not tell is refused
    (exit status 6). replay:FILE takes recordings instead of a board and MODEL.
    """
    from deployer.cli.jobs.bench_energy import carry_out

    carry_out(given)
