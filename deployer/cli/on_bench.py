"""Where a command runs: on a board that is named, or on a bench of a lab, held for it alone."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click

from deployer.board import load_board, require_rate
from deployer.cli.option_sets import PROBE_NAMES, board_runner, take_probe
from deployer.errors import BenchError, MachineError, UsageError
from deployer.units import command_line
from deployer_hil import Source, lab


@dataclass(frozen=True)
class Place:
    """``options`` are the runner's. ``runner`` is "" for the board's first. ``bench``: None where
    the board is named by itself."""

    board: str
    runner: str
    options: Mapping[str, Any]
    bench: lab.Bench | None = None

    @property
    def baud(self) -> int:
        """Bits a second, 0 for the board file's."""
        return int(self.options.get("baud", 0))

    def meter(self) -> Source:
        """The bench's own. Raises UsageError where there is none."""
        if self.bench is None:
            raise UsageError("--meter is missing", hints=["a bench with a meter needs none"])
        return lab.meter_of(self.bench, self.options)


@contextmanager
def programmed(given: dict[str, Any], model: Path, known: Sequence[str]) -> Iterator[Place]:
    """The board itself, reached by one of the runners ``known``. Takes board, bench, lab and the
    options of probes out of ``given``. Raises UsageError, and BenchHeld when another process has
    the bench."""
    board_dir: Path | None = given["board_dir"]
    if given["bench"]:
        with _on_bench(given, model, known) as place:
            yield place
        return
    board = _only_board(given)
    runner = board_runner(board, board_dir, model, given, known)
    yield Place(board, runner, take_probe(given, str(model)))


@contextmanager
def counted(given: dict[str, Any], model: Path, known: Sequence[str]) -> Iterator[Place]:
    """The board itself, reached by one of the runners ``known``, or the runner that ``given``
    names, or any bench."""
    if given["bench"]:
        with _on_bench(given, model, None) as place:
            yield place
        return
    runner = given.pop("runner")
    if not runner:
        with programmed(given, model, known) as place:
            yield place
        return
    options = take_probe(given, str(model))
    if runner not in known:
        options.pop("model")
    yield Place(_only_board(given), runner, options)


@contextmanager
def anywhere(given: dict[str, Any], model: Path) -> Iterator[Place]:
    """The same for every runner: --runner is taken out too."""
    if given["bench"]:
        with _on_bench(given, model, None) as place:
            yield place
        return
    yield Place(_only_board(given), given.pop("runner"), {})


def _only_board(given: dict[str, Any]) -> str:
    _, lab, board = given.pop("bench"), given.pop("lab"), str(given.pop("board"))
    if not board:
        context = click.get_current_context()
        hint = "'-b' / '--board' or '--bench'"
        raise click.MissingParameter(ctx=context, param_hint=hint, param_type="option")
    if lab is not None:
        raise UsageError("--lab is for --bench", hints=["name a bench of it: --bench NAME"])
    return board


@contextmanager
def _on_bench(given: dict[str, Any], model: Path, known: Sequence[str] | None) -> Iterator[Place]:
    bench = lab.read_lab(lab.find_lab(given.pop("lab"))).bench(given.pop("bench"))
    _require_alone(given, bench)
    if known is not None and bench.runner not in known:
        _refuse_runner(bench, model, known)
    board = load_board(bench.board, given["board_dir"])
    require_rate(board, bench.runner, bench.baud)
    with _naming(bench), lab.hold(bench) as options:
        yield Place(board.name, bench.runner, options, bench)


@contextmanager
def _naming(bench: lab.Bench) -> Iterator[None]:
    """Trouble of the bench is told with its name."""
    try:
        yield
    except BenchError as error:
        if not isinstance(error, MachineError | lab.BenchHeld):
            error.why = (f"on bench {bench.name}", *error.why)
        raise


def _require_alone(given: dict[str, Any], bench: lab.Bench) -> None:
    """A bench has its own board, runner, probe, port and host."""
    names = [name for name in ("board", "runner", *PROBE_NAMES) if given.pop(name, "")]
    if names:
        told = " and ".join(f"--{name}" for name in names)
        what = f"{told}: bench {bench.name} has its own"
        raise UsageError(what, hints=["leave it out, or state it in the lab file"])


def _refuse_runner(bench: lab.Bench, model: Path, known: Sequence[str]) -> None:
    run = command_line(["run", "--bench", bench.name], str(model))
    raise UsageError(
        f"bench {bench.name} is reached by {bench.runner}, this command by {', '.join(known)}",
        hints=[f"prove it there: {run}"],
    )
