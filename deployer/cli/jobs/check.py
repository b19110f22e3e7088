"""What ``deployer check`` does: survey, print, draw, refuse."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import click

from deployer.board import Board
from deployer.errors import ModelError
from deployer.printed import printed


@dataclass(frozen=True)
class Wanted:
    """What is made beside the table: pictures of memory and of the front; searches."""

    picture: Path | None = None
    plot: Path | None = None
    smallest: bool = False
    front: bool = False


def carry_out(job: Any, as_json: bool, wanted: Wanted) -> None:
    """Everything known is printed and drawn before a refusal is raised."""
    from deployer.cli.progress import progress_view
    from deployer.cli.render_survey import print_survey
    from deployer.pipeline import survey

    picture = wanted.picture
    _require_drawable(wanted)
    try:
        with progress_view() as view:
            told = replace(job, searching=view.searching)
            found = survey(told, smallest=wanted.smallest, front=wanted.front)
    except ModelError as error:
        raise _unsupported(error, job.board.name, as_json) from None
    if as_json:
        click.echo(json.dumps(found.facts, indent=1))
    else:
        print_survey(found.facts, found.profile)
    if picture is not None:
        _draw_memory(picture, found, job.board)
    if wanted.plot is not None:
        _draw_front(wanted.plot, found.facts)
    if found.refusal:
        raise found.refusal


def _require_drawable(wanted: Wanted) -> None:
    """Before the survey, which takes a while."""
    from deployer.drawing import check_plot, known_suffix

    if wanted.picture is not None:
        known_suffix(wanted.picture)
    check_plot(wanted.plot)


def _draw_front(plot: Path, facts: Any) -> None:
    from deployer.drawing import draw_front

    draw_front(plot, facts)


def _draw_memory(picture: Path, found: Any, board: Board) -> None:
    from deployer.drawing import MEMORY, draw, surveyed

    draw(picture, surveyed(found, board), what=MEMORY)


def _unsupported(error: ModelError, board: str, as_json: bool) -> ModelError:
    """Print the reasons by node; what is left to say on standard error."""
    from deployer.cli.reasons import print_reasons
    from deployer.pipeline import refusal_facts

    if as_json:
        facts = {"schema": 1, "board": board, "fits": False, "refusal": refusal_facts(error)}
        click.echo(json.dumps(facts, indent=1))
        return error
    if not error.reasons:
        return error
    print_reasons(error.reasons)
    told = {reason["hint"] for reason in error.reasons}
    return ModelError(error.what, hints=[hint for hint in error.hints if hint not in told])


def say_unserved(board: Board) -> None:
    """That a plan needs no port, but the image does, where no port serves ``board``."""
    from deployer.board import misfits

    why = misfits(board)
    if why:
        say(
            f"a plan only: deployer build refuses {board.name}, which port {board.port} does not"
            f" serve ({why[0]})"
        )


def say(text: str) -> None:
    """A line on standard error."""
    click.echo(printed(text), err=True)
