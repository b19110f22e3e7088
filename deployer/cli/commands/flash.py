"""``deployer flash``: the whole pipeline, ending on the real board."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from deployer.cli.option_sets import board_runner, energy_mode_option, probe_options, take_probe
from deployer.cli.options import (
    board_option,
    dataset_option,
    job_options,
    json_option,
    model_argument,
)


@click.command("flash")
@board_option()
@probe_options
@energy_mode_option
@dataset_option()
@job_options
@json_option()
@model_argument()
def command(
    model: Path,
    board: str,
    first: str,
    dataset: Path | None,
    output: Path,
    board_dir: Path | None,
    as_json: bool,
    energy_mode: bool,
    **given: Any,
) -> None:
    """Build MODEL, put it on the board, by debug probe or ssh, and prove every layer there."""
    from deployer.cli.jobs.deploy import JobRequest, carry_out

    runner = board_runner(board, board_dir, model, given)
    runner_options = take_probe(given, str(model))
    request = JobRequest(
        *(model, board, runner, first, "run", dataset, output, board_dir, as_json),
        baud=runner_options.get("baud", 0),
        energy_mode=energy_mode,
    )
    carry_out(request, given, runner_options=runner_options)
