"""What a board states of running in tiles and of the size of its code."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from deployer.board.load import load_board
from deployer.errors import UsageError
from deployer.resources import data_root

GAP8 = (data_root() / "boards" / "gap8.toml").read_text()
TABLE = r"\[{}\].*?(?=\n\[)"


def saved(folder: Path, text: str) -> str:
    text = text.replace('name        = "gap8"', 'name        = "desk"')
    (folder / "desk.toml").write_text(text)
    return "desk"


def without(table: str) -> str:
    return re.sub(TABLE.format(table), "", GAP8, flags=re.DOTALL)


@pytest.mark.parametrize(
    ("table", "why"), [("tiles", "steps run in tiles there"), ("code", "weights are fetched")]
)
def test_a_board_that_needs_a_table_of_estimates_and_lacks_it_is_refused(
    table: str, why: str, tmp_path: Path
) -> None:
    name = saved(tmp_path, without(table))
    with pytest.raises(UsageError, match=rf"the table \[{table}\] is missing") as caught:
        load_board(name, tmp_path)
    assert why in caught.value.why[0]
    assert "boards/gap8.toml" in caught.value.hints[0]


def test_a_board_of_one_flat_memory_needs_neither() -> None:
    board = load_board("nucleo-f767zi")
    assert board.tiles is None
    assert board.code is None


def test_the_figures_are_those_of_the_file(tmp_path: Path) -> None:
    other = GAP8.replace("loop_cycles    = 700", "loop_cycles    = 333")
    other = other.replace("again_bytes   = 152", "again_bytes   = 99")
    found = load_board(saved(tmp_path, other), tmp_path)
    assert found.tiles is not None
    assert found.code is not None
    assert (found.tiles.loop, found.code.again) == (333.0, 99)


@pytest.mark.parametrize("name", ["gap8", "pulp-open"])
def test_every_estimate_says_where_it_comes_from(name: str) -> None:
    board = load_board(name)
    for table in (board.tiles, board.code):
        assert table is None or table.source
        assert table is None or table.kind in ("simulated", "counted", "estimated")


def test_a_step_takes_its_own_cycles_and_those_of_its_tiles() -> None:
    tiles = load_board("gap8").tiles
    assert tiles is not None
    assert [tiles.fixed(count) for count in (0, 1, 10)] == [800, 950, 2300]


@pytest.mark.parametrize("line", ["lead_cycles    = -1", 'lead_cycles    = "many"', ""])
def test_a_figure_that_is_none_is_refused_by_its_key(line: str, tmp_path: Path) -> None:
    text = re.sub(r"lead_cycles    = 800.*", line, GAP8)
    with pytest.raises(UsageError, match=r"tiles.*lead_cycles|lead_cycles.*tiles"):
        load_board(saved(tmp_path, text), tmp_path)
