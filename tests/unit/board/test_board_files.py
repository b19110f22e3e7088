"""Files and folders that boards come from, and how long instructions of their kernels take."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from deployer import schema
from deployer.board.cost import cost_file
from deployer.board.load import board_folders, load_board
from deployer.errors import UsageError
from deployer.schema import read_toml


def test_a_folder_of_boards_that_is_not_there_gets_the_nearest_name(tmp_path: Path) -> None:
    (tmp_path / "boards").mkdir()
    (tmp_path / "boardz.toml").write_text("")  # a file is no folder
    with pytest.raises(UsageError, match="--board-dir: no such folder") as caught:
        board_folders(tmp_path / "board")
    first, second = caught.value.hints
    assert first == f"did you mean {tmp_path / 'boards'}?"
    assert "NAME.toml" in second
    with pytest.raises(UsageError) as caught:
        board_folders(tmp_path / "none" / "deeper")
    assert len(caught.value.hints) == 1


def test_the_user_s_folder_is_looked_into_before_the_one_that_ships(tmp_path: Path) -> None:
    (shipped,) = board_folders()
    assert (shipped / "gap8.toml").is_file()
    assert board_folders(tmp_path) == [tmp_path, shipped]


def test_kernels_take_the_cycles_of_a_table_for_the_board_s_pipeline_only() -> None:
    cost = load_board("gap8").cost
    assert cost is not None
    table = replace(cost.table, pipeline="one", cpi={"dpl_any": 3.5})
    stated = replace(cost, cpi=1.25, table=table)
    for pipeline, expected in (("one", 3.5), ("other", 1.25), ("", 1.25)):
        assert replace(stated, pipeline=pipeline).cycles_each("dpl_any") == expected
    assert replace(stated, pipeline="one").cycles_each("dpl_other") == 1.25
    nobody = replace(stated, table=replace(table, pipeline=""))
    assert nobody.cycles_each("dpl_any") == 1.25
    assert cost_file(Path("boards"), "core").name == "core.toml"


def test_memories_and_engines_are_found_by_name() -> None:
    board = load_board("gap8")
    assert board.memory("l1").name == "l1"
    engine = board.dma("l2", "l1")
    assert engine is not None
    assert (engine.source, engine.target) == ("l2", "l1")
    assert board.dma("l1", "l1") is None


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"a = [", "not TOML"),
        (b'a = "\xff"', "byte 5 is not UTF-8"),
        (b"a = " + b"[" * 100_000, "not TOML"),
    ],
)
def test_what_is_no_toml_is_refused_with_its_file(tmp_path: Path, data: bytes, said: str) -> None:
    path = tmp_path / "any.toml"
    path.write_bytes(data)
    with pytest.raises(UsageError) as caught:
        read_toml(path)
    assert said in str(caught.value)
    assert str(path) in caught.value.what


def test_a_file_that_cannot_be_read_or_is_too_large_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(UsageError, match="cannot read") as caught:
        read_toml(tmp_path / "none.toml")
    assert caught.value.why == ("No such file or directory",)
    path = tmp_path / "any.toml"
    path.write_text("a = 1234")
    monkeypatch.setattr(schema, "_MAX_FILE_BYTES", 8)
    assert read_toml(path) == {"a": 1234}
    monkeypatch.setattr(schema, "_MAX_FILE_BYTES", 7)
    with pytest.raises(UsageError, match=r"any\.toml has 8 bytes"):
        read_toml(path)


def test_a_board_s_whole_file_is_read(tmp_path: Path) -> None:
    path = tmp_path / "any.toml"
    path.write_text("# " + "x" * ((1 << 20) - 3) + "\n")
    assert read_toml(path) == {}
