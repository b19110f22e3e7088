"""A file of costs fitted to one board, in place of the guesses of its board file."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

from deployer.board import COSTS, ERRORS, Costs, costs_of, load_board, load_twin
from deployer.choices import IssuePairs
from deployer.errors import UsageError
from deployer.schema import ANY, Table, read_toml, text
from deployer.tools.timing.machine import Machine, counting_runner, machine_of
from deployer.tools.timing.pipelines import pipeline_of

SCHEMA = 1
_FILE = Table({"schema": ANY, "board": text(), **COSTS, "error": ERRORS["error"]}, {})


@dataclass(frozen=True)
class Fitted:
    """``error``: of what they were fitted to, a share of 1."""

    board: str
    costs: Costs
    error: float


def costs_text(fitted: Fitted, note: str = "") -> str:
    """The file's text; ``note`` says what was fitted to."""
    lines = [f"# {line}" for line in note.splitlines()]
    lines += [f"schema = {SCHEMA}", f'board = "{fitted.board}"']
    lines += [f"{name} = {getattr(fitted.costs, name):.3f}" for name in COSTS]
    return "\n".join([*lines, f"error = {fitted.error:.4f}", ""])


def load_costs(path: Path) -> Fitted:
    """What ``costs_text`` wrote. Raises UsageError naming the file."""
    table = read_toml(path)
    try:
        if table.get("schema", SCHEMA) != SCHEMA:
            raise UsageError(f"costs of schema {table['schema']}, this version reads {SCHEMA}")
        _FILE.check(table, "")
    except UsageError as error:
        raise UsageError(f"{path}: {error.what}", why=error.why, hints=error.hints) from None
    return Fitted(table["board"], costs_of(table), table["error"])


def machine_with(machine: Machine, path: Path) -> Machine:
    """The machine with costs and error of the file. Raises UsageError for another board's."""
    fitted = load_costs(path)
    if fitted.board != machine.name:
        raise UsageError(f"{path} holds the costs of {fitted.board}, not of {machine.name}")
    return replace(machine, costs=fitted.costs, error=fitted.error, source=path.name)


def machine_for(
    name: str,
    costs: Path | None,
    board_dir: Path | None,
    rules: str = IssuePairs.MEASURED,
    *,
    credits_pld: bool = False,
) -> Machine:
    """The machine of board ``name``, with fitted costs when there are any, under the issue rules of
    that name. Raises UsageError where the profiler cannot credit prefetched lines."""
    board = load_board(name, board_dir)
    machine = machine_of(board, load_twin(board, counting_runner(board), board_dir))
    pipeline = pipeline_of(machine.pipeline.name, rules)
    if credits_pld and not pipeline.preloads:
        raise UsageError(
            f"--credit-pld on {name}", why=["the profiler reads the PLD of a Cortex-M alone"]
        )
    machine = replace(machine, pipeline=pipeline, credits_pld=credits_pld)
    return machine_with(machine, costs) if costs else machine
