"""``deployer flash``: the whole pipeline, ending on the real board."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from deployer.cli.options import (
    board_option,
    dataset_option,
    job_options,
    json_option,
    model_argument,
)


@click.command("flash")
@board_option()
@click.option("--probe", default="", help="Serial number of the debug probe.")
@click.option("--port", default="", help="Serial port; default: the probe's own.")
@click.option("--baud", type=int, default=0, help="Baud rate; default: the board file's.")
@click.option(
    "--loader", default="", hidden=True, help="module:function making the probe access (tests)."
)
@dataset_option()
@job_options
@json_option()
@model_argument()
def command(
    model: Path,
    board: str,
    probe: str,
    port: str,
    baud: int,
    loader: str,
    first: str,
    dataset: Path | None,
    output: Path,
    board_dir: Path | None,
    as_json: bool,
    **given: Any,
) -> None:
    """Build MODEL, program the board over its debug probe, prove every layer over serial."""
    from deployer.cli.job import JobRequest, carry_out

    request = JobRequest(model, board, "pyocd", first, "run", dataset, output, board_dir, as_json)
    chosen = {"probe": probe, "port": port, "baud": baud, "loader": loader, "model": str(model)}
    carry_out(request, given, runner_options={k: v for k, v in chosen.items() if v})
