"""Options that commands take together: of those that reach a board, of those that estimate time."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

from deployer.choices import IssuePairs

_PROBE = (
    click.option("--probe", default="", help="Serial number of the debug probe or cable."),
    click.option("--port", default="", help="Serial port; default: the probe's own."),
    click.option("--baud", type=int, default=0, help="Baud rate; default: the board file's."),
    click.option(
        "--loader", default="", hidden=True, help="module:function making the probe access (tests)."
    ),
)
_COSTS = (
    click.option(
        "--costs",
        type=click.Path(path_type=Path),
        help="Costs of memory fitted by deployer calibrate; default: the board file's.",
    ),
)
_GATE = (
    click.option(
        "--gate",
        type=click.Path(path_type=Path),
        help="Fail where a layer or network takes over 1 % more instructions than in this file.",
    ),
    click.option("--rewrite", is_flag=True, help="Write the counts to --gate instead."),
)
issue_rules_option = click.option(
    "--issue-rules",
    type=click.Choice([each.value for each in IssuePairs]),
    default=IssuePairs.MEASURED.value,
    help="Which instructions the model of the core pairs: as boards do, or as before.",
)
_CORE = (
    issue_rules_option,
    click.option(
        "--credit-pld",
        is_flag=True,
        help="Count a prefetched line as there in time; by default PLD only takes its slot.",
    ),
)
_PROBE_NAMES = ("probe", "port", "baud", "loader")
_RUNNERS = ("pyocd", "openocd")


def probe_options(function: Callable[..., Any]) -> Callable[..., Any]:
    """--probe, --port, --baud, --loader."""
    for option in reversed(_PROBE):
        function = option(function)
    return function


def take_probe(given: dict[str, Any], model: str) -> dict[str, Any]:
    """What the runner is told, taken out of ``given``; ``model`` as the user typed it."""
    chosen = {**{name: given.pop(name) for name in _PROBE_NAMES}, "model": model}
    return {name: value for name, value in chosen.items() if value}


def probe_runner(board: str, board_dir: Path | None, model: Path, baud: int) -> str:
    """The runner of the board file that goes through a probe. Raises UsageError where there is
    none, and for a ``baud`` that the board's console has not, with what to do instead."""
    from deployer.board import load_board, require_rate
    from deployer.pipeline import require_probe

    found = load_board(board, board_dir)
    require_probe(found, _RUNNERS, str(model))
    runner = next(name for name in _RUNNERS if name in found.runners)
    require_rate(found, runner, baud)
    return runner


def timing_options(function: Callable[..., Any]) -> Callable[..., Any]:
    """--costs, --gate, --rewrite, --issue-rules, --credit-pld."""
    for option in reversed((*_COSTS, *_GATE, *_CORE)):
        function = option(function)
    return function


def model_options(function: Callable[..., Any]) -> Callable[..., Any]:
    """--costs, --issue-rules, --credit-pld: what the model of the core takes."""
    for option in reversed((*_COSTS, *_CORE)):
        function = option(function)
    return function
