"""One model for one board through one runner: names resolved, options checked."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

from deployer.board import Board, at_point, load_board, load_twin, with_rate, with_threads
from deployer.choices import USUAL_MLPERF, DbInput, HotCode, KernelSet, Mlperf, SchemeName
from deployer.errors import UsageError, near_hints
from deployer.pipeline.float_network import for_floats
from deployer.pipeline.kernel_set import for_library, with_library
from deployer.pipeline.options import Options
from deployer.pipeline.tuned import load_tuned, settled_options
from deployer.plan import PlanRequest

Progress = Callable[[str, int, int], None]
Notice = Callable[[str], None]


@dataclass(frozen=True)
class Job:
    """One model for one board through one runner.

    ``board`` is the one the user named; ``target`` the one the image is built for: the board, or
    the emulated twin the runner wants. ``code_excess``: bytes by which the linker found more
    code than was estimated.
    """

    model: Path
    board: Board
    target: Board
    runner: str
    folder: Path
    options: Options
    progress: Progress = lambda label, done, total: None
    notice: Notice = lambda text: None
    code_excess: int = 0
    mlperf: Mlperf = USUAL_MLPERF
    searching: Notice = lambda text: None

    @property
    def request(self) -> PlanRequest:
        """What the planner takes."""
        found = self.code_excess, self.searching
        return PlanRequest(self.board, self.target, self.options.limits, *found)


def make_job(
    model: Path,
    board_name: str,
    *,
    options: Options,
    runner: str = "",
    for_board: bool = False,
    output: Path = Path("build"),
    name: str = "",
    board_dir: Path | None = None,
    baud: int = 0,
    mlperf: Mlperf = USUAL_MLPERF,
    point: str = "",
    progress: Progress = lambda label, done, total: None,
    notice: Notice = lambda text: None,
    searching: Notice = lambda text: None,
) -> Job:
    """Resolve names to boards. The first runner of the board file is the default, or, with
    ``for_board``, the first that runs on the board itself and not on an emulated twin. ``name`` is
    of the job's folder, beside the board's, by default the model file's. ``baud``: at which the
    image and ``runner`` talk, 0 for the board file's rate. ``point``: of the board, "" for its own.

    A fine-tuned network settles the options it was tuned with. Raises UsageError for an unknown
    board, a runner, a rate or a memory for code that the board does not have, or a tuned network
    that cannot be read.
    """
    options = _settled(options)
    if mlperf.db_input != DbInput.INT8:
        _require_int8_input(options, mlperf.db_input)
    board = at_point(with_threads(load_board(board_name, board_dir), options.threads), point)
    chosen = _runner_of(board, runner, for_board)
    _require_own_point(board, chosen)
    board = with_rate(board, chosen, baud)
    _require_memory_for_code(board, options.hot_code)
    target = load_twin(board, chosen, board_dir)
    if options.scheme == SchemeName.FLOAT:
        options = for_floats(options, board, target)
    if options.kernels != KernelSet.BOARD:
        options = for_library(options, target)
        board, target = (with_library(each) for each in (board, target))
    folder = job_folder(output, name or model.stem, board)
    told = (progress, notice)
    job = Job(model, board, target, chosen, folder, options, *told, mlperf=mlperf)
    return replace(job, searching=searching)


def job_folder(output: Path, name: str, board: Board) -> Path:
    return output / f"{name}-{board.name}"


def require_int8(options: Options, what: str) -> None:
    """Raise UsageError when ``options`` ask for int16 activations, which ``what`` cannot have."""
    given = {
        "--bits 16": options.bits == 16,
        "--bits-of": bool(options.bits_of),
        "--mixed": options.mixed is not None,
    }
    found = [name for name, wanted in given.items() if wanted]
    if found:
        raise UsageError(
            f"{what} has int8 activations: {' and '.join(found)} cannot change that",
            why=["fine-tuning trains the weights for the scales of int8 activations"],
            hints=["leave the option out, or quantize the plain network without fine-tuning"],
        )


def _settled(options: Options) -> Options:
    """With those that a fine-tuned network was tuned with."""
    if options.tuned is None or options.scheme == SchemeName.FLOAT:
        return options
    require_int8(options, "a fine-tuned network")
    return replace(options, **settled_options(load_tuned(options.tuned)))


def _require_int8_input(options: Options, given: DbInput) -> None:
    if options.scheme == SchemeName.FLOAT:
        raise UsageError(
            f"--db-input {given}: the inputs of a float network are not made integers",
            hints=["leave it out: db brings the network's own floats, low byte first"],
        )
    require_int8(options, f"a network with --db-input {given}")


def _runner_of(board: Board, named: str, for_board: bool) -> str:
    chosen = named or _default_runner(board, for_board)
    if chosen not in board.runners:
        raise UsageError(
            f"board {board.name} has no runner {chosen!r}",
            hints=near_hints(chosen, board.runners),
        )
    return chosen


def _default_runner(board: Board, for_board: bool) -> str:
    real = [name for name, table in board.runners.items() if "twin" not in table]
    return next(iter([*(real if for_board else []), *board.runners]), "")


def _require_own_point(board: Board, runner: str) -> None:
    """Another point says nothing of an emulator that has a clock of its own, or none."""
    if board.point and "twin" in board.runners[runner]:
        raise UsageError(
            f"{runner} runs no image of {board.name}: it has no operating point {board.point}",
            why=["what it counts is the same at every clock"],
            hints=["leave out --point"],
        )


def _require_memory_for_code(board: Board, name: str) -> None:
    """Raises UsageError unless ``name`` is "off" or the board's memory for code."""
    if name in (HotCode.OFF, board.place.hot):
        return
    raise UsageError(
        f"--hot-code {name}: {board.name} has no such memory for code",
        why=["a board file names it under [place] hot"],
        hints=[f"--hot-code {choice}" for choice in (board.place.hot, HotCode.OFF) if choice],
    )
