"""``deployer check``: does a network fit a board? No toolchain needed."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import click

from deployer.cli.options import board_option, json_option, model_argument, network_options
from deployer.errors import ModelError
from deployer.printed import printed


@click.command("check")
@board_option()
@network_options
@json_option()
@click.option(
    "--picture",
    type=click.Path(path_type=Path),
    help="Draw memory before and after planning: .svg, or .html with network, arena and tables.",
)
@click.option(
    "--smallest",
    is_flag=True,
    help="Search the smallest memory for the arena, too: the plan is made anew for each size.",
)
@model_argument()
def command(
    model: Path,
    board: str,
    board_dir: Path | None,
    as_json: bool,
    picture: Path | None,
    smallest: bool,
    **given: Any,
) -> None:
    """Import MODEL and plan its memory: layers, MACs, RAM and flash against the board.

    Exit status 0 when it fits, 3 when it holds something unsupported, 4 when it does not fit.
    """
    from deployer.cli.options import options_from
    from deployer.pipeline.options import Job, make_job

    job: Job = make_job(model, board, options=options_from(given), board_dir=board_dir, notice=_say)
    _say_unserved(job.board)
    _check(job, as_json, picture, smallest=smallest)


def _check(job: Any, as_json: bool, picture: Path | None, *, smallest: bool) -> None:
    """Everything known is printed and drawn before a refusal is raised."""
    from deployer.cli.render import print_survey
    from deployer.drawing.picture import MEMORY, draw, known_suffix
    from deployer.drawing.scene import surveyed
    from deployer.pipeline.survey import survey

    if picture is not None:
        known_suffix(picture)
    try:
        found = survey(job, smallest=smallest)
    except ModelError as error:
        raise _unsupported(error, job.board.name, as_json) from None
    if as_json:
        click.echo(json.dumps(found.facts, indent=1))
    else:
        print_survey(found.facts, found.profile)
    if picture is not None:
        draw(picture, surveyed(found, job.board), what=MEMORY)
    if found.refusal:
        raise found.refusal


def _unsupported(error: ModelError, board: str, as_json: bool) -> ModelError:
    """Print the reasons by node; what is left to say on standard error."""
    from deployer.cli.reasons import print_reasons
    from deployer.pipeline.survey import refusal_facts

    if as_json:
        facts = {"schema": 1, "board": board, "fits": False, "refusal": refusal_facts(error)}
        click.echo(json.dumps(facts, indent=1))
        return error
    if not error.reasons:
        return error
    print_reasons(error.reasons)
    told = {reason["hint"] for reason in error.reasons}
    return ModelError(error.what, hints=[hint for hint in error.hints if hint not in told])


def _say_unserved(board: Any) -> None:
    """A plan needs no port; the image does."""
    from deployer.board.served import misfits

    why = misfits(board)
    if why:
        _say(
            f"a plan only: deployer build refuses {board.name}, which port {board.port} does not"
            f" serve ({why[0]})"
        )


def _say(text: str) -> None:
    click.echo(printed(text), err=True)
