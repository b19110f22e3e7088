"""The table ``deployer bench cost`` shows, and where it is written."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from deployer.board.load import load_board
from deployer.resources import data_root
from deployer.tools.bench import cost
from deployer.tools.bench.cost import cost_facts, cost_markdown, table_path
from deployer.tools.bench.cost_fit import REGION, Fit, KernelError
from deployer.tools.bench.cost_runs import Run

CONV = "dpl_conv2d_s8__ref"


def test_terms_and_errors_stand_in_a_row() -> None:
    stated = load_board("nucleo-f767zi").cost
    assert stated is not None
    errors = (KernelError(CONV, 17, 0.0123, 0.045),)
    facts = cost_facts("nucleo-f767zi", stated.table, Fit({}, 20, 0.01, 0.05, errors))
    lines = cost_markdown(facts).splitlines()
    assert "instructions counted on qemu-mps2-an500" in lines[0]
    (row,) = (line for line in lines if CONV in line)
    assert row.endswith("| 17 | 1.2% | 4.5% |")
    assert "mac 2.7" in row
    assert any(line.startswith("| region | ") and "hop" in line for line in lines)
    assert (facts["kind"], facts["unit"]) == ("counted", "instructions")


def test_a_table_is_what_was_counted_fitted_and_rounded(monkeypatch: pytest.MonkeyPatch) -> None:
    run = Run((), "a twin", "a tool", "a compiler")
    weights = {CONV: {"mac": 2.714, "call": 99.996}, REGION: {"hop": 1.005001}}
    found = Fit(weights, 20, 0.01, 0.05, (), {CONV: 0.636})
    given: list[Any] = []

    def count(name: str, *, board_dir: Path | None, tell: Any) -> Run:
        given.append((name, board_dir, tell))
        return run

    def fit(launches: Any, cores: int) -> Fit:
        given.append((launches, cores))
        return found

    monkeypatch.setattr(cost, "count_operators", count)
    monkeypatch.setattr(cost, "fit", fit)
    table, errors = cost.fitted("gap8", board_dir=None, tell=print)
    assert given == [("gap8", None, print), ((), load_board("gap8").cores)]
    assert errors is found
    assert (table.counted_on, table.tool, table.compiler) == ("a twin", "a tool", "a compiler")
    assert (table.launches, table.rms_error, table.worst_error) == (20, 0.01, 0.05)
    assert table.kernels == {CONV: {"mac": 2.71, "call": 100.0}}
    assert (table.region, table.cpi, table.pipeline) == ({"hop": 1.01}, {CONV: 0.64}, "")
    nucleo, _ = cost.fitted("nucleo-f767zi", board_dir=None, tell=print)
    assert nucleo.pipeline == "cortex-m7"


def test_a_table_lies_beside_its_board(tmp_path: Path) -> None:
    board = load_board("nucleo-f767zi")
    shipped = data_root() / "boards" / "cost"
    assert table_path(board, None) == shipped / "armv7em.toml"
    assert table_path(replace(board, cost=None), None) == shipped / "cortex-m7.toml"
    (tmp_path / "nucleo-f767zi.toml").write_text("")
    assert table_path(board, tmp_path) == tmp_path / "cost" / "armv7em.toml"


def test_kernels_that_their_terms_do_not_describe_are_left_out(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    other = "dpl_transpose_s8__ref"
    errors = (KernelError(CONV, 16, 0.1, 0.2), KernelError(other, 4, 0.3, 0.7))
    weights = {CONV: {"mac": 2.0}, other: {"element": 3.0}}
    found = Fit(weights, 20, 0.16, 0.7, errors, {CONV: 0.6, other: 0.5})
    run = Run((), "a twin", "a tool", "a compiler")
    monkeypatch.setattr(cost, "count_operators", lambda *_, **__: run)
    monkeypatch.setattr(cost, "fit", lambda *_: found)
    table, _ = cost.fitted("nucleo-f767zi", board_dir=None, tell=print)
    assert table.kernels.keys() == table.cpi.keys() == {CONV}
    assert (table.launches, round(table.rms_error, 9), table.worst_error) == (16, 0.1, 0.2)
