"""Operating points: what a board is at another clock, with more threads, under another governor."""

from __future__ import annotations

from pathlib import Path

import pytest

from deployer.board import at_point, find_board, load_board, misfits, points_named
from deployer.errors import UsageError
from deployer.pipeline import Options, make_job


@pytest.mark.parametrize("name", ["nucleo-f767zi", "gap8", "rpi3", "rpi3-32"])
def test_the_port_serves_every_point_of_a_board(name: str) -> None:
    board = load_board(name)
    assert board.points
    for point in board.points:
        found = at_point(board, point.name)
        assert misfits(found) == ()
        assert found.point == point.name


def test_a_point_changes_what_it_states_and_nothing_else() -> None:
    board = load_board("rpi3")
    slow = at_point(board, "600MHz-4-threads")
    assert (slow.clock_hz, slow.cores) == (600_000_000, 4)
    assert slow.runners["ssh"]["governor"] == "powersave"
    four = at_point(board, "4-threads")
    assert (four.clock_hz, four.cores, four.runners) == (board.clock_hz, 4, board.runners)
    assert at_point(board, "") == board


def test_all_are_the_boards_own_and_every_other() -> None:
    board = load_board("nucleo-f767zi")
    assert points_named(board, ["all"]) == ("", "168MHz", "108MHz", "54MHz")
    assert points_named(board, ["54MHz", "54MHz"]) == ("54MHz",)
    assert points_named(board, []) == ()


def test_an_unknown_point_is_refused_with_those_there_are() -> None:
    with pytest.raises(UsageError, match="has no operating point '107MHz'") as refused:
        points_named(load_board("nucleo-f767zi"), ["107MHz"])
    assert "did you mean 108MHz?" in refused.value.hints[0]
    with pytest.raises(UsageError, match="host has no operating point") as refused:
        at_point(load_board("host"), "fast")
    assert "states none" in refused.value.why[0]


def test_two_points_of_one_name_are_refused(tmp_path: Path) -> None:
    text = find_board("nucleo-f767zi").read_text()
    text = text.replace('"108MHz"', '"54MHz"').replace('"nucleo-f767zi"', '"mine"', 1)
    (tmp_path / "mine.toml").write_text(text)
    with pytest.raises(UsageError, match="two points of one name among 168MHz, 54MHz, 54MHz"):
        load_board("mine", tmp_path)


def test_an_image_has_the_clock_of_its_point_and_a_twin_has_none() -> None:
    model = Path("net.onnx")
    job = make_job(model, "nucleo-f767zi", options=Options(), runner="pyocd", point="54MHz")
    assert (job.board.clock_hz, job.target.clock_hz) == (54_000_000, 54_000_000)
    with pytest.raises(UsageError, match="it has no operating point 54MHz"):
        make_job(model, "nucleo-f767zi", options=Options(), runner="qemu_system", point="54MHz")
