"""What a command asks for is refused before the first stage runs, and what it needs is looked for:
planning a network can take minutes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from deployer.board import Board, board_names, load_board, require_served
from deployer.build import find_tools
from deployer.errors import BenchError, UsageError, near_hints
from deployer.pipeline.artifacts import BUILD, RUN
from deployer.pipeline.job import Job
from deployer.pipeline.store import STAGES
from deployer.units import command_line
from deployer_hil import MODELS, find_program


def stages_between(first: str, last: str) -> tuple[str, ...]:
    """The names of the stages that run. Raises UsageError for a name that is none, and for a first
    stage behind the last."""
    for option, name in (("--from", first), ("--until", last)):
        if name not in STAGES:
            raise UsageError(f"{option} {name!r} is no stage", hints=near_hints(name, STAGES))
    found = STAGES[STAGES.index(first) : STAGES.index(last) + 1]
    if not found:
        raise UsageError(
            f"nothing runs from stage {first} to stage {last}",
            why=[f"{first} comes behind {last}: {', '.join(STAGES)}"],
            hints=[f"leave out --from {first}, or name a later stage"],
        )
    return found


def require_programs(job: Job, first: str, last: str) -> None:
    """The compiler and the emulator of the stages ``first`` to ``last``. Raises BenchError naming
    the user's board and the package to install; UsageError for a board whose port does not serve
    it."""
    names = stages_between(first, last)
    if BUILD in names:
        require_served(job.board, job.target, runner=job.runner)
        find_tools(replace(job.target, name=job.board.name))
    table = job.target.runners.get(job.runner, {})
    if RUN in names and "program" in table and "package" in table:
        program, package = str(table["program"]), str(table["package"])
        _find(job.board, lambda: find_program(program, package))
    if RUN in names and job.runner in MODELS:
        _find(job.board, MODELS[job.runner].find)


def _find(board: Board, look: Callable[[], str]) -> None:
    try:
        look()
    except BenchError as error:
        what = f"nothing to run {board.name} in: {error.what}"
        hints = [*error.hints, "deployer doctor lists every tool"]
        raise BenchError(what, why=error.why, hints=hints) from None


def require_probe(board: Board, known: tuple[str, ...], model: str) -> None:
    """Raise UsageError for a board that none of the runners ``known`` programs, with what does the
    same for ``model``."""
    if set(known) & set(board.runners):
        return
    others = [other for other in board_names() if set(known) & set(load_board(other).runners)]
    run, build = (command_line([name, "--board", board.name], model) for name in ("run", "build"))
    hints = [f"build it and prove it on this machine: {run}"]
    if "host" not in board.runners:
        hints = [
            f"prove it in the board's emulator: {run}",
            f"make the program, to be started on the board by you: {build}",
        ]
    raise UsageError(
        f"{board.name} is not programmed over a debug probe or ssh",
        why=[f"its runners: {', '.join(board.runners)}; these are for {', '.join(others)}"],
        hints=hints,
    )
