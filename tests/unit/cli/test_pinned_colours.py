"""What is told by colour on a terminal that has some: escapes and all, 120 columns wide."""

from __future__ import annotations

import io
from collections.abc import Callable
from pathlib import Path

import pytest

from deployer.board.load import board_names, load_board
from deployer.cli import reasons, render
from deployer.cli.jobs.support import support_facts
from deployer.cli.terminal import Terminal
from planned import pinned, surveyed
from unit.cli.test_pinned_reports import report

FOLDER = Path(__file__).parent / "pinned"
REASONS = [
    {"operator": op, "node": node, "problem": problem, "hint": hint, "module": module}
    for op, node, problem, hint, module in (
        ("Reshape", "/rnn/Reshape", "shape is no constant", "export it", ""),
        ("LSTM", "/rnn/LSTM", "not supported", "use another", ""),
        ("LSTM", "", "not supported", "use another", "Two.rnn"),
        ("Gather", "g", "axis 0", "cut it", "One"),
    )
]


def survey_of(name: str, **changes: object) -> None:
    found = surveyed(name)
    render.print_survey({**found.facts, **changes}, found.profile)


def too_large() -> None:
    memories = [
        {**row, "excess": 5 - i} for i, row in enumerate(surveyed("fetched").facts["memories"])
    ]
    survey_of("fetched", fits=False, memories=memories, other_boards=["host", "rpi3"])


def too_large_for_all() -> None:
    sizes = {"l2": 8192, "l1": None}
    survey_of("pools", fits=False, other_boards=[], smallest=sizes)


def tools() -> None:
    shown = {"enables": "runs", "install": "apt install it"}
    rows = [{"name": f"tool {i}", "version": text, **shown} for i, text in enumerate(("", "v 1"))]
    render.print_tools(rows, ["probe: none"])


def boards() -> None:
    render.print_boards([load_board(name) for name in board_names()])


def ops() -> None:
    facts = support_facts(load_board("gap8"))
    first, second, *_ = facts["operators"]
    rows = [first, {**second, "without_kernel": ["Some", "Other"]}]
    bare = {"operator": "Bare", "alias": False, "symbols": [], "serves": ["A", "B"]}
    render.print_ops({**facts, "operators": rows, "kernels": [*facts["kernels"][:5], bare]})


PRINTED: dict[str, Callable[[], None]] = {
    "survey": lambda: survey_of("residual"),
    "too-large": too_large,
    "too-large-for-all": too_large_for_all,
    "report": lambda: render.print_report(report("residual")),
    "tools": tools,
    "boards": boards,
    "ops": ops,
    "reasons": lambda: reasons.print_reasons(REASONS),
}


@pytest.mark.parametrize("name", PRINTED)
def test_colours_are_those_pinned(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    said = io.StringIO()
    plain = {"highlight": False, "markup": False, "emoji": False, "_environ": {}}
    screen = Terminal(file=said, width=120, force_terminal=True, color_system="standard", **plain)  # type: ignore[arg-type]
    for module in (render, reasons):
        monkeypatch.setattr(module, "terminal", lambda: screen)
    PRINTED[name]()
    pinned(FOLDER / "colours" / f"{name}.txt", said.getvalue().replace("\x1b", "^"))


def test_a_terminal_leaves_a_closed_pipe_to_the_caller() -> None:
    with pytest.raises(BrokenPipeError):
        Terminal().on_broken_pipe()
