"""``deployer flash``: the whole pipeline, ending on the real board."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from deployer.choices import Mlperf
from deployer.cli.option_sets import PROGRAMMED, mlperf_options, probe_options
from deployer.cli.options import (
    board_or_bench_options,
    dataset_option,
    job_options,
    json_option,
    model_argument,
    results_option,
)


@click.command("flash")
@board_or_bench_options
@probe_options
@mlperf_options
@dataset_option()
@results_option()
@job_options
@json_option()
@model_argument()
def command(
    model: Path,
    first: str,
    dataset: Path | None,
    results: Path | None,
    output: Path,
    as_json: bool,
    mlperf: Mlperf,
    **given: Any,
) -> None:
    """Build MODEL, put it on the board, by debug probe or ssh, and prove every layer there."""
    from deployer.cli.jobs.deploy import JobRequest, carry_out
    from deployer.cli.on_bench import programmed

    with programmed(given, model, PROGRAMMED) as place:
        board_dir = given.pop("board_dir")
        request = JobRequest(
            *(model, place.board, place.runner, first, "run", dataset, output, board_dir, as_json),
            baud=place.baud,
            results=results,
            mlperf=mlperf,
        )
        carry_out(request, given, runner_options=place.options)
