"""Progress: bars on a terminal, a line a step elsewhere; and rows that are told as they come."""

from __future__ import annotations

import json
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import pytest

from deployer.cli import main as cli_main
from deployer.cli import progress
from deployer.cli.jobs import bench_tiled_kernels
from deployer.cli.progress import ProgressView, progress_view
from deployer.tools.bench.row import DIFFERS, EXACT, FAILED, NO_FIT
from deployer.tools.bench.tiled_kernels import Found, Inside, InTiles, KernelRow


class Bars:
    """What rich is told."""

    def __init__(self) -> None:
        self.told: list[Any] = []
        self.console = SimpleNamespace(print=lambda text, **how: self.told.append((text, how)))

    def add_task(self, label: str, total: int) -> int:
        self.told.append((label, total))
        return len(self.told)

    def update(self, task: int, *, completed: int, total: int) -> None:
        self.told.append((task, completed, total))


def test_a_step_has_one_bar() -> None:
    bars = Bars()
    view = ProgressView(bars)
    for label, done, total in (("a", 0, 2), ("b", 1, 5), ("a", 2, 3)):
        view.update(label, done, total)
    assert bars.told == [("a", 2), (1, 0, 2), ("b", 5), (3, 1, 5), (1, 2, 3)]


def test_what_is_searched_is_one_line_that_changes() -> None:
    class Lines(Bars):
        def update(self, task: int, *, description: str, advance: int) -> None:  # type: ignore[override]
            self.told.append((task, description))

    bars = Lines()
    view = ProgressView(bars)
    view.searching("regions within 9 B")
    view.searching("places of 3 buffers\x1b")
    first, second = "plan: regions within 9 B", "plan: places of 3 buffers\\x1b"
    assert bars.told == [("plan", None), (1, first), (1, second)]
    ProgressView(None).searching("elsewhere nothing is told")


def test_notices_stand_above_the_bars_and_warnings_stand_out() -> None:
    bars = Bars()
    view = ProgressView(bars)
    view.notice("[red]\x1b")
    view.notice("WARNING: slow")
    assert bars.told == [
        ("[red]\\x1b", {"style": "dim", "markup": False}),
        ("WARNING: slow", {"style": "bold yellow", "markup": False}),
    ]


def test_elsewhere_a_step_is_a_line_once_it_is_done(capsys: pytest.CaptureFixture[str]) -> None:
    with progress_view() as view:
        for done in (0, 1, 2, 3, 2):
            view.update("a", done, 2)
        view.notice("WARNING: slow\n")
    said = capsys.readouterr()
    assert (said.out, said.err) == ("", "a: done\nWARNING: slow\\n\n")


def test_only_warnings_have_a_colour_on_a_line(monkeypatch: pytest.MonkeyPatch) -> None:
    said: list[tuple[str, Any, bool]] = []
    monkeypatch.setattr(
        progress.click, "secho", lambda text, err, fg, bold: said.append((text, fg, bold))
    )
    view = ProgressView(None)
    view.notice("a notice")
    view.notice("WARNING: slow")
    assert said == [("a notice", None, False), ("WARNING: slow", "yellow", True)]


def test_a_terminal_is_drawn_on(monkeypatch: pytest.MonkeyPatch) -> None:
    import sys

    monkeypatch.setattr(sys.stderr, "isatty", lambda: True, raising=False)
    with progress_view() as view:
        assert view._bars is not None
        view.update("step", 1, 2)
        view.notice("a notice")


TILED = InTiles(geometry="8x8x4 -> 8x8x4", work=4000, tiles=2, cycles=600, inside=500)
INSIDE = Inside(
    "8x8x4 -> 8x8x4",
    "dpl_any",
    "q16",
    4000,
    1000,
    "simulated",
    "a tool",
    {"compiler": "a compiler", "flags": []},
)


@pytest.fixture
def bench(monkeypatch: pytest.MonkeyPatch) -> Callable[..., int]:
    """bench(outcomes): of two layers; the exit status."""

    def call(outcomes: tuple[str, str], *arguments: str) -> int:
        left = list(outcomes)

        def row(self: Any, name: str, layer: Any) -> KernelRow:
            outcome = left.pop(0)
            if outcome == EXACT:
                return KernelRow(name, self.runner, "MAC", EXACT, "", Found(INSIDE, 4000, TILED))
            return KernelRow(name, self.runner, "MAC", outcome, f"why {outcome}")

        monkeypatch.setattr(bench_tiled_kernels.KernelBench, "row", row)
        given = ("-b", "gap8", "--layer", "dense", "--layer", "blocked", *arguments)
        with pytest.raises(SystemExit) as stop:
            cli_main.main(["bench", "kernels", *given])
        return int(stop.value.code or 0)

    return call


@pytest.mark.parametrize(
    ("outcomes", "status"),
    [
        ((EXACT, EXACT), 0),
        ((EXACT, NO_FIT), 0),
        ((DIFFERS, EXACT), 5),
        ((EXACT, FAILED), 6),
        ((FAILED, DIFFERS), 5),
    ],
)
def test_the_worst_kernel_decides_how_the_command_ends(
    bench: Any, outcomes: tuple[str, str], status: int, capsys: pytest.CaptureFixture[str]
) -> None:
    assert bench(outcomes, "--json") == status
    said = capsys.readouterr()
    facts = json.loads(said.out)
    assert [row["outcome"] for row in facts["rows"]] == list(outcomes)
    names = ("blocked", "dense")
    for number, (name, outcome) in enumerate(zip(names, outcomes, strict=True), start=1):
        found = "1,000 cycles" if outcome == EXACT else f"why {outcome}"
        assert f"[{number}/2] {name}, gap8_sim: {outcome}, {found}\n" in said.err
    assert "bench: done" in said.err
    bad = sum(outcome not in (EXACT, NO_FIT) for outcome in outcomes)
    assert (f"{bad} of 2 rows are not exact" in said.err) == bool(bad)


def test_a_runner_that_the_board_lacks_is_refused_before_anything_runs(
    bench: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    assert bench((), "--runner", "nothing") == 2
    assert "gap8 has no runner 'nothing'" in capsys.readouterr().err
