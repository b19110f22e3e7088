"""``deployer run``: the whole pipeline, ending in a proof."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from deployer.cli.options import (
    board_or_bench_options,
    dataset_option,
    job_options,
    json_option,
    model_argument,
    results_option,
)


@click.command("run")
@board_or_bench_options
@click.option("--runner", default="", help="One of the board's runners; default: its first.")
@click.option("--until", "last", default="run", help="Last stage to run.")
@dataset_option()
@results_option()
@job_options
@json_option()
@model_argument()
def command(
    model: Path,
    first: str,
    last: str,
    dataset: Path | None,
    results: Path | None,
    output: Path,
    as_json: bool,
    **given: Any,
) -> None:
    """Build MODEL for a board, run it in the board's emulator, prove every layer bit-exact."""
    from deployer.cli.jobs.deploy import JobRequest, carry_out
    from deployer.cli.on_bench import anywhere

    with anywhere(given, model) as place:
        board_dir = given.pop("board_dir")
        request = JobRequest(
            *(model, place.board, place.runner, first, last, dataset, output, board_dir, as_json),
            baud=place.baud,
            results=results,
        )
        carry_out(request, given, runner_options=place.options)
