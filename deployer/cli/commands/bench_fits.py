"""``deployer bench fits``: what fits a board with restructuring that does not without."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from deployer.cli.options import board_dir_option, json_option, limit_option
from deployer.cli.table_file import output_option
from deployer.tools.bench import FITS_NETWORKS, FITS_RESOLUTIONS, FITS_WIDTHS


@click.command("fits")
@click.argument("names", nargs=-1, metavar="[NAME]...")
@click.option("-b", "--board", default="nucleo-f767zi", show_default=True)
@click.option(
    "--width",
    "widths",
    type=float,
    multiple=True,
    default=FITS_WIDTHS,
    show_default=True,
    help="Multiplies channels. Repeatable.",
)
@click.option(
    "--resolution",
    "resolutions",
    type=int,
    multiple=True,
    default=FITS_RESOLUTIONS,
    show_default=True,
    help="Of the input. Repeatable.",
)
@click.option("--prove", is_flag=True, help="Run what fits in the board's emulator, bit-exact.")
@limit_option("a proof")
@board_dir_option()
@output_option()
@json_option()
def command(
    names: tuple[str, ...], output: Path | None, as_json: bool, prove: bool, **given: Any
) -> None:
    """RAM and flash of NAMEs of the zoo (default: MobileNetV1 and V2) at every width and
    resolution, plain and restructured: the points of paper 001's figures 2.13 and 2.14.

    Figures are counted; a proof builds the network and compares every layer. Exit status 5 when one
    differs, 7 at a time limit, 6 when emulator or toolchain fail.
    """
    from deployer.board import load_board
    from deployer.cli.progress import progress_view
    from deployer.cli.table_file import check_output, put_table
    from deployer.tools.bench import (
        FitsRequest,
        fits_facts,
        fits_markdown,
        fits_rows,
        require_proven,
    )
    from deployer.tools.zoo import draw

    check_output(output)
    request = FitsRequest(networks=names or FITS_NETWORKS, prove=prove, **given)
    load_board(request.board, request.board_dir)
    for name, width, resolution in request.points:
        draw(name, width=width, resolution=(resolution,) * 2)
    rows = []
    with progress_view() as view:
        for row in fits_rows(request):
            rows.append(row)
            view.update("bench", len(rows), len(request.points))
    put_table(fits_facts(rows, request.board), fits_markdown, output=output, as_json=as_json)
    require_proven([row.emulated for row in rows])
