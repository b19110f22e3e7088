"""Operating points: what a board is at another clock, with more threads, under another governor."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from deployer.board import at_point, find_board, load_board, misfits, pair_named, points_named
from deployer.board.served import port_defines
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


def test_what_follows_the_faster_clock_takes_fewer_cycles_of_the_cluster() -> None:
    """Transfers of L3 and what the fabric controller does; not the DMA of the cluster."""
    board = load_board("gap8")
    fast = at_point(board, "250-175MHz")
    ratio = 250 / 175
    before, after = board.dma("l3", "l2"), fast.dma("l3", "l2")
    assert before is not None
    assert after is not None
    assert board.tiles is not None
    assert fast.tiles is not None
    assert after.bytes_per_cycle == pytest.approx(ratio * before.bytes_per_cycle)
    assert after.setup_cycles == round(before.setup_cycles / ratio)
    for name in ("lead", "axis", "command", "loop", "early"):
        assert getattr(fast.tiles, name) == pytest.approx(getattr(board.tiles, name) / ratio)
    for name in ("step", "part", "tile"):
        assert getattr(fast.tiles, name) == getattr(board.tiles, name)
    for ends in (("l2", "l1"), ("l1", "l2")):
        assert fast.dma(*ends) == board.dma(*ends)
    one = at_point(board, "1.0V-87MHz")
    assert (one.dmas, one.tiles) == (board.dmas, board.tiles)


def test_any_pair_of_clocks_is_a_point_where_one_has_two() -> None:
    board = load_board("gap8")
    pair = at_point(board, pair_named(board, 250, 150))
    assert (pair.point, pair.fabric_hz, pair.clock_hz) == ("250-150MHz", 250_000_000, 150_000_000)
    assert misfits(pair) == ()
    alike = at_point(board, pair_named(board, None, None))
    assert (alike.fabric_hz, alike.clock_hz) == (0, 175_000_000)
    assert alike.dmas == board.dmas
    slow = at_point(board, pair_named(board, 150, None))
    assert any("below clock_hz" in why for why in misfits(slow))
    with pytest.raises(UsageError, match="no operating point '250-175MHz'"):
        at_point(load_board("nucleo-f767zi"), "250-175MHz")


@pytest.mark.parametrize(
    ("point", "fabric", "millivolts"),
    [
        ("", 175, 1200),
        ("250-175MHz", 250, 1200),
        ("150MHz", 150, 1200),
        ("1.0V-150-87MHz", 150, 1000),
        ("1.0V-87MHz", 87, 1000),
    ],
)
def test_the_image_sets_both_clocks_and_the_voltage(
    point: str, fabric: int, millivolts: int
) -> None:
    defines = port_defines(at_point(load_board("gap8"), point))
    assert defines["DPL_FABRIC_HZ"] == f"{fabric}000000u"
    assert defines["DPL_MILLIVOLTS"] == f"{millivolts}u"
    assert "DPL_FABRIC_HZ" not in port_defines(load_board("pulp-open"))


@pytest.mark.parametrize(
    ("name", "stated", "why"),
    [
        ("gap8", {"fabric_hz": 100_000_000}, "below clock_hz: L2 and DMA would keep"),
        ("gap8", {"fabric_hz": 260_000_000}, "fabric_hz is 260,000,000, the port sets 87"),
        ("gap8", {"millivolts": 1100}, "millivolts is 1,100, the port sets 1,000 or 1,200"),
        ("gap8", {"millivolts": 1000}, "clock_hz is 175,000,000, 87,000,000 is the most at 1,000"),
        (
            "gap8",
            {"millivolts": 1000, "clock_hz": 87_000_000, "fabric_hz": 175_000_000},
            "fabric_hz is 175,000,000, 150,000,000 is the most at 1,000 mV",
        ),
        ("nucleo-f767zi", {"millivolts": 1200}, "the port sets neither"),
        ("pulp-open", {"fabric_hz": 250_000_000}, "the port sets neither"),
    ],
)
def test_clocks_that_the_voltage_does_not_allow_are_refused(
    name: str, stated: dict[str, int], why: str
) -> None:
    found = misfits(replace(load_board(name), **stated))  # type: ignore[arg-type]
    assert any(why in each for each in found), found
