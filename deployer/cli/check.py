"""``deployer check``: does a network fit a board? No toolchain needed."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

import click

from deployer.cli.options import board_option, json_option, model_argument, network_options


@click.command("check")
@board_option()
@network_options
@json_option()
@model_argument()
def command(model: Path, board: str, board_dir: Path | None, as_json: bool, **given: Any) -> None:
    """Import MODEL and plan its memory: layers, MACs, RAM and flash against the board.

    Exit status 0 when it fits, 3 when it holds something unsupported, 4 when it does not fit.
    """
    from deployer.cli.options import options_from
    from deployer.pipeline.options import make_job
    from deployer.pipeline.stages import execute
    from deployer.pipeline.survey import survey

    with tempfile.TemporaryDirectory() as folder:
        job = make_job(
            model,
            board,
            options=options_from(given),
            output=Path(folder),
            board_dir=board_dir,
            notice=lambda text: _say(text),
        )
        facts = survey(job, execute(job, last="allocate"))
    if as_json:
        import json

        click.echo(json.dumps(facts, indent=1))
        return
    from deployer.cli.render import print_survey

    print_survey(facts)


def _say(text: str) -> None:
    """Synthetic ranges do not change what fits, so that warning is left out."""
    if not text.startswith("WARNING: calibrated on"):
        click.echo(text, err=True)
