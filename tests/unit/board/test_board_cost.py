"""Cost tables of boards: written, read, refused; a board names one."""

from __future__ import annotations

import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from deployer.board.cost import cost_text, load_cost
from deployer.board.load import load_board
from deployer.errors import UsageError
from deployer.kernelset.select import families
from deployer.resources import data_root

SHIPPED = data_root() / "boards"


@pytest.mark.parametrize("path", sorted((SHIPPED / "cost").glob("*.toml")), ids=lambda p: p.stem)
def test_shipped_tables_are_as_the_command_writes_them(path: Path, tmp_path: Path) -> None:
    table = load_cost(path)
    assert path.read_text() == cost_text(table)
    known = {kernel.symbol for kernels in families().values() for kernel in kernels}
    assert table.kernels.keys() <= known
    assert table.rms_error < 0.1
    assert table.worst_error < 0.6  # an average pool of few pixels


@pytest.mark.parametrize("name", ["nucleo-f767zi", "gap8", "rpi3", "host"])
def test_every_board_states_its_cost(name: str) -> None:
    cost = load_board(name).cost
    assert cost is not None
    assert cost.cpi > 0
    assert cost.table.kernels["dpl_conv2d_s8__ref"]["mac"] > 1


def own_board(folder: Path, cost: str) -> None:
    text = (SHIPPED / "nucleo-f767zi.toml").read_text()
    head, _, tail = text.partition("[cost]")
    text = f"{head}{cost}\n[stack]{tail.partition('[stack]')[2]}"
    (folder / "mine.toml").write_text(text.replace('"nucleo-f767zi"', '"mine"', 1))


def test_a_board_of_a_known_core_takes_its_table(tmp_path: Path) -> None:
    own_board(tmp_path, '[cost]\ncounts = "armv7em"\ncpi = 1.2\n')
    cost = load_board("mine", tmp_path).cost
    assert cost is not None
    assert cost.cpi == 1.2
    assert cost.table == load_cost(SHIPPED / "cost" / "armv7em.toml")


@pytest.mark.parametrize(("more", "bytes_"), [("", None), ('kernel_code = "20KiB"', 20 << 10)])
def test_a_board_may_limit_the_code_of_kernels(
    tmp_path: Path, more: str, bytes_: int | None
) -> None:
    own_board(tmp_path, f'[cost]\ncounts = "armv7em"\ncpi = 1.2\n{more}\n')
    cost = load_board("mine", tmp_path).cost
    assert cost is not None
    assert cost.kernel_code == bytes_


def test_a_table_of_ones_own_comes_first(tmp_path: Path) -> None:
    own_board(tmp_path, '[cost]\ncounts = "armv7em"\ncpi = 1.2\n')
    table = replace(load_cost(SHIPPED / "cost" / "armv7em.toml"), counted_on="mine")
    (tmp_path / "cost").mkdir()
    (tmp_path / "cost" / "armv7em.toml").write_text(cost_text(table))
    cost = load_board("mine", tmp_path).cost
    assert cost is not None
    assert cost.table.counted_on == "mine"


def test_a_board_may_state_none(tmp_path: Path) -> None:
    own_board(tmp_path, "")
    assert load_board("mine", tmp_path).cost is None


@pytest.mark.parametrize(
    ("cost", "said"),
    [
        ('[cost]\ncounts = "z80"\ncpi = 4\n', "z80"),
        ('[cost]\ncounts = "armv7em"\ncpi = 0\n', r"cost\.cpi is 0"),
        ('[cost]\ncounts = "armv7em"\ncpx = 1\n', "cpx"),
    ],
)
def test_a_wrong_cost_is_refused(tmp_path: Path, cost: str, said: str) -> None:
    own_board(tmp_path, cost)
    with pytest.raises(UsageError, match=said):
        load_board("mine", tmp_path)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("schema = 1", "schema = 2"),
        ("[region]", "[regio]"),
        ("hop = ", "hop = -"),
        ("launches = ", "launche = "),
        ("[region]", "[region"),
    ],
)
def test_a_damaged_table_is_refused_by_name(tmp_path: Path, old: str, new: str) -> None:
    path = tmp_path / "broken.toml"
    shutil.copy(SHIPPED / "cost" / "armv7em.toml", path)
    path.write_text(path.read_text().replace(old, new, 1))
    with pytest.raises(UsageError, match=r"broken\.toml"):
        load_cost(path)
