"""A board's cost table: counted on its emulated twin, fitted, shown, written."""

from __future__ import annotations

import math
from collections.abc import Mapping, Set
from pathlib import Path

from deployer.board import Board, CostTable, cost_file, find_board, load_board
from deployer.kernelset import by_symbol
from deployer.tools.bench.cost_fit import REGION, Fit, KernelError, fit
from deployer.tools.bench.cost_runs import Tell, count_operators
from deployer.tools.bench.facts import KernelCosts, KernelErrorFacts
from deployer.tools.bench.markdown import markdown_table
from deployer.units import CounterUnit, FigureKind

# beyond these errors the terms do not describe a kernel, and the table does not tell of it
_MOST_RMS, _MOST_RMS_OF_FEW = 0.25, 0.1
_FEW = 20  # launches


def fitted(name: str, *, board_dir: Path | None, tell: Tell) -> tuple[CostTable, Fit]:
    """Counts and fits. Raises UsageError for a board whose runner does not count."""
    board = load_board(name, board_dir)
    run = count_operators(name, board_dir=board_dir, tell=tell)
    found = fit(run.counted, board.cores)
    dropped = {each.kernel for each in found.kernels if not _is_told(each, found)}
    launches, rms, worst = _errors(found, dropped)
    weights = {name: row for name, row in found.weights.items() if name not in dropped}
    return (
        CostTable(
            counted_on=run.target,
            tool=run.tool,
            compiler=run.compiler,
            launches=launches,
            rms_error=rms,
            worst_error=worst,
            region=rounded(weights.pop(REGION, {})),
            kernels={name: rounded(row) for name, row in weights.items()},
            pipeline=board.timing.pipeline if board.timing else "",
            cpi=rounded({name: each for name, each in found.cpi.items() if name not in dropped}),
        ),
        found,
    )


def _is_told(one: KernelError, found: Fit) -> bool:
    """Whether a table weighs the kernel, and its terms describe it: few launches must agree well
    with them, and no more launches than terms always do."""
    most = _MOST_RMS_OF_FEW if one.launches < _FEW else _MOST_RMS
    several = one.launches > len(found.weights.get(one.kernel, ())) + 1
    return by_symbol(one.kernel).weighed and several and one.rms <= most


def _errors(found: Fit, dropped: Set[str]) -> tuple[int, float, float]:
    """Launches, rms and worst error without the kernels that are dropped."""
    if not dropped:
        return found.launches, found.rms, found.worst
    told = [each for each in found.kernels if each.kernel not in dropped]
    launches = sum(each.launches for each in told)
    squares = sum(each.launches * each.rms**2 for each in told)
    return launches, math.sqrt(squares / launches), max(each.worst for each in told)


def rounded(row: Mapping[str, float]) -> dict[str, float]:
    """As the file has them."""
    return {name: round(value, 2) for name, value in row.items()}


def table_path(board: Board, board_dir: Path | None) -> Path:
    """Where the board's table lies: beside its file, named as it says or after its core."""
    name = board.cost.counts if board.cost else board.core
    return cost_file(find_board(board.name, board_dir).parent, name)


def cost_facts(board: str, found: CostTable, errors: Fit) -> KernelCosts:
    """Schema 1, described in docs/bench.md."""
    return {
        "schema": 1,
        "board": board,
        "kind": FigureKind.COUNTED,
        "unit": CounterUnit.INSTRUCTIONS,
        "counted_on": found.counted_on,
        "tool": found.tool,
        "compiler": found.compiler,
        "launches": found.launches,
        "rms_error": found.rms_error,
        "worst_error": found.worst_error,
        "region": found.region,
        "kernels": found.kernels,
        "pipeline": found.pipeline,
        "cpi": found.cpi,
        "errors": [_error(one) for one in errors.kernels],
    }


def _error(one: KernelError) -> KernelErrorFacts:
    return {"kernel": one.kernel, "launches": one.launches, "rms": one.rms, "worst": one.worst}


def cost_markdown(facts: KernelCosts) -> str:
    """Terms and error of every kernel, instructions."""
    errors = {row["kernel"]: row for row in facts["errors"]}
    rows = []
    for kernel, weights in (("region", facts["region"]), *facts["kernels"].items()):
        terms = ", ".join(f"{name} {value:.4g}" for name, value in weights.items())
        cycles = f"{facts['cpi'][kernel]:.2f}" if kernel in facts["cpi"] else ""
        rows.append((kernel, terms, cycles, *_error_cells(errors.get(kernel))))
    head = ("kernel", "instructions per term", "cycles each", "launches", "rms error", "worst")
    return "\n".join([*_head(facts), "", *markdown_table(head, rows), ""])


def _error_cells(error: KernelErrorFacts | None) -> tuple[str, str, str]:
    if error is None:
        return "", "", ""
    return str(error["launches"]), f"{error['rms']:.1%}", f"{error['worst']:.1%}"


def _head(facts: KernelCosts) -> list[str]:
    return [
        f"Cost of kernels for {facts['board']}: instructions counted on {facts['counted_on']} "
        f"({facts['tool']}; {facts['compiler']}).",
        f"{facts['launches']} launches, rms error {facts['rms_error']:.1%}, worst "
        f"{facts['worst_error']:.1%}.",
    ]
