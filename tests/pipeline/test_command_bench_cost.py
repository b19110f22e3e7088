"""``deployer bench cost`` where nothing counts: a refusal, and no table. What it fits is tested in
tests/unit/tools/bench, the tables it wrote in tests/emulated/test_cost_model.py."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from deployer.resources import data_root
from pipeline.conftest import Run


def test_a_board_that_counts_nothing_is_refused(
    deployer: Run, tool: Callable[[str], str], tmp_path: Path
) -> None:
    tool("gcc")
    (tmp_path / "host.toml").write_text((data_root() / "boards" / "host.toml").read_text())
    done = deployer("bench", "cost", "-b", "host", "--write", "--board-dir", tmp_path)
    assert done.status == 2
    assert "counts no instructions" in done.err
    assert "nucleo-f767zi, gap8" in done.err
    assert [path.name for path in tmp_path.iterdir()] == ["host.toml"]


def test_an_unknown_board_is_named(deployer: Run) -> None:
    done = deployer("bench", "cost", "-b", "nucleo")
    assert done.status == 2
    assert "nucleo-f767zi" in done.err
