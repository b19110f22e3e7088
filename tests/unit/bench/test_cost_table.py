"""The table ``deployer bench cost`` shows, and where it is written."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from deployer.bench.cost import facts_of, markdown, table_path
from deployer.bench.cost_fit import Fit, KernelError
from deployer.board.load import load_board
from deployer.resources import data_root

CONV = "dpl_conv2d_s8__ref"


def test_terms_and_errors_stand_in_a_row() -> None:
    cost = load_board("nucleo-f767zi").cost
    assert cost is not None
    errors = (KernelError(CONV, 17, 0.0123, 0.045),)
    facts = facts_of("nucleo-f767zi", cost.table, Fit({}, 20, 0.01, 0.05, errors))
    lines = markdown(facts).splitlines()
    assert "instructions counted on qemu-mps2-an500" in lines[0]
    (row,) = (line for line in lines if CONV in line)
    assert row.endswith("| 17 | 1.2% | 4.5% |")
    assert "mac 2.7" in row
    assert any(line.startswith("| region | ") and "hop" in line for line in lines)
    assert (facts["kind"], facts["unit"]) == ("counted", "instructions")


def test_a_table_lies_beside_its_board(tmp_path: Path) -> None:
    board = load_board("nucleo-f767zi")
    shipped = data_root() / "boards" / "cost"
    assert table_path(board, None) == shipped / "armv7em.toml"
    assert table_path(replace(board, cost=None), None) == shipped / "cortex-m7.toml"
    (tmp_path / "nucleo-f767zi.toml").write_text("")
    assert table_path(board, tmp_path) == tmp_path / "cost" / "armv7em.toml"
