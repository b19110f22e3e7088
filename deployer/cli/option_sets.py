"""Options that commands take together: of those that reach a board, of those that estimate time."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import wraps
from pathlib import Path
from typing import Any

import click

from deployer.choices import DbInput, IssuePairs, Mlperf
from deployer.cli.option_types import ChoiceParamType
from deployer.errors import UsageError

_PROBE = (
    click.option("--probe", default="", help="Serial number of the debug probe or cable."),
    click.option("--port", default="", help="Serial port; default: the probe's own."),
    click.option("--baud", type=int, default=0, help="Baud rate; default: the board file's."),
    click.option(
        "--host",
        default="",
        metavar="USER@NAME",
        help="Of a board reached by ssh, as ssh takes it.",
    ),
    click.option(
        "--tcp",
        default="",
        metavar="HOST:PORT",
        help="Of an image that you started on the board with --listen.",
    ),
    click.option(
        "--loader", default="", hidden=True, help="module:function making the probe access (tests)."
    ),
)
_LOAD = (
    click.option(
        "--inferences",
        type=click.IntRange(1, 1_000_000),
        default=100,
        show_default=True,
        help="That are timed one by one, and then back to back.",
    ),
    click.option(
        "--warmup",
        "warmups",
        type=click.IntRange(0, 10_000),
        default=10,
        show_default=True,
        help="Inferences before those, which are not timed.",
    ),
    click.option(
        "--cold-starts",
        type=click.IntRange(1, 1000),
        default=1,
        show_default=True,
        help="Resets whose first inference is timed.",
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
        help="Fail where a layer or network takes more instructions than in this baseline.",
    ),
    click.option(
        "--update-baseline",
        "reason",
        metavar="REASON",
        help="Write the counts to --gate instead; the reason is kept there.",
    ),
)
issue_rules_option = click.option(
    "--issue-rules",
    type=click.Choice([each.value for each in IssuePairs]),
    default=IssuePairs.MEASURED.value,
    help="Which instructions the model of the core pairs: as boards do, or as before.",
)
_MLPERF = (
    click.option(
        "--energy-mode",
        is_flag=True,
        help="The image starts in MLPerf Tiny's energy mode: pulses on its trigger pin, no times.",
    ),
    click.option(
        "--db-input",
        type=ChoiceParamType(DbInput),
        default=DbInput.INT8.value,
        show_default=True,
        help="What MLPerf Tiny's runner sends: pixels or floats become the network's integers.",
    ),
    click.option(
        "--anomaly-score",
        is_flag=True,
        help="Of an autoencoder, MLPerf Tiny's result: how far the output is from the input.",
    ),
)
_CORE = (
    issue_rules_option,
    click.option(
        "--credit-pld",
        is_flag=True,
        help="Count a prefetched line as there in time; by default PLD only takes its slot.",
    ),
)
PROBE_NAMES = ("probe", "port", "baud", "host", "tcp", "loader")
_SSH, _TCP = "ssh", "tcp"
PROGRAMMED = ("pyocd", "openocd", _SSH, _TCP)  # runners that reach a board
_PROBED = (("probe", "port", "baud"), "a probe: --probe and --port")
_WAYS = {  # options of a runner, and what they are
    _SSH: (("host",), "ssh: --host"),
    _TCP: (("tcp",), "a connection: --tcp"),
}


def probe_options(function: Callable[..., Any]) -> Callable[..., Any]:
    """--probe, --port, --baud, --host, --tcp, --loader."""
    for option in reversed(_PROBE):
        function = option(function)
    return function


def mlperf_options(function: Callable[..., Any]) -> Callable[..., Any]:
    """--energy-mode, --db-input, --anomaly-score, which ``function`` gets as ``mlperf``."""

    @wraps(function)
    def whole(energy_mode: bool, db_input: DbInput, anomaly_score: bool, **given: Any) -> Any:
        return function(mlperf=Mlperf(energy_mode, db_input, anomaly_score), **given)

    for option in reversed(_MLPERF):
        whole = option(whole)
    return whole


def load_options(function: Callable[..., Any]) -> Callable[..., Any]:
    """--inferences, --warmup, --cold-starts."""
    for option in reversed(_LOAD):
        function = option(function)
    return function


def take_probe(given: dict[str, Any], model: str) -> dict[str, Any]:
    """What the runner is told, taken out of ``given``; ``model`` as the user typed it."""
    chosen = {**{name: given.pop(name) for name in PROBE_NAMES}, "model": model}
    return {name: value for name, value in chosen.items() if value}


def board_runner(
    board: str,
    board_dir: Path | None,
    model: Path,
    given: Mapping[str, Any],
    known: Sequence[str] = PROGRAMMED,
) -> str:
    """The runner of the board file that reaches the board itself, one of ``known``. Raises
    UsageError where there is none, and for options ``given`` that it cannot use, with what to do
    instead."""
    from deployer.board import load_board, require_rate
    from deployer.pipeline import require_probe
    from deployer_hil import find_program, ssh_host, tcp_address

    found = load_board(board, board_dir)
    require_probe(found, tuple(known), str(model))
    ways = [name for name in known if name in found.runners]
    runner = _TCP if given["tcp"] and _TCP in ways else ways[0]
    _require_own(board, runner, given)
    if runner == _SSH:
        ssh_host(given["host"], found.runners[runner], board, str(model))
        find_program("ssh", "openssh-client")
    if runner == _TCP:
        tcp_address(given["tcp"], found.runners[runner], board, str(model))
    require_rate(found, runner, given["baud"])
    return runner


def _require_own(board: str, runner: str, given: Mapping[str, Any]) -> None:
    own, way = _WAYS.get(runner, _PROBED)
    names = [*_PROBED[0], *(name for names, _ in _WAYS.values() for name in names)]
    wrong = [f"--{name}" for name in names if given[name] and name not in own]
    if wrong:
        what = f"{' and '.join(wrong)}: not for {board}"
        raise UsageError(what, hints=[f"it is reached by {way}"])


def timing_options(function: Callable[..., Any]) -> Callable[..., Any]:
    """--costs, --gate, --update-baseline, --issue-rules, --credit-pld."""
    for option in reversed((*_COSTS, *_GATE, *_CORE)):
        function = option(function)
    return function


def model_options(function: Callable[..., Any]) -> Callable[..., Any]:
    """--costs, --issue-rules, --credit-pld: what the model of the core takes."""
    for option in reversed((*_COSTS, *_CORE)):
        function = option(function)
    return function
