"""The table of what fits: points, verdicts, text."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from deployer.resources import data_root
from deployer.tools.bench.fits import FitsRequest, FitsRow, Plan, fits_rows
from deployer.tools.bench.fits_table import fits_facts, fits_markdown


def test_the_points_are_those_of_the_paper() -> None:
    points = FitsRequest(prove=False, seconds=9.0).points
    assert len(points) == len(set(points)) == 12
    assert ("mobilenetv2", 0.75, 160) in points


@pytest.fixture(scope="module")
def rows(tmp_path_factory: pytest.TempPathFactory) -> dict[int, FitsRow]:
    """A thin MobileNetV2, and a MobileNetV1 of which nothing helps, on a board of 64 KiB beside the
    DTCM's 16; by resolution."""
    boards = tmp_path_factory.mktemp("boards")
    for name in ("nucleo-f767zi", "qemu-mps2-an500"):
        text = (data_root() / "boards" / f"{name}.toml").read_text()
        small = text.replace('"128KiB"', '"16KiB"').replace('"384KiB"', '"64KiB"')
        (boards / f"{name}.toml").write_text(small)
    points = partial(FitsRequest, prove=False, seconds=900.0, board_dir=boards)
    requests = [
        points(("mobilenetv2",), (0.35,), (32, 96)),
        points(("mobilenetv1",), (0.25,), (192,)),
    ]
    return {row.resolution: row for request in requests for row in fits_rows(request)}


def test_what_fits_is_left_as_it_is(rows: dict[int, FitsRow]) -> None:
    small = rows[32]
    assert small.plain.over == ()
    assert small.fitting is not None
    assert (small.fitting.regions, small.fitting.added_cost) == (0, 0)
    assert small.fitting.arena <= small.plain.arena
    assert small.smallest.arena < small.plain.arena
    assert 1_700_000 < small.flash < 2_000_000


def test_what_fits_in_pieces_only_is_told_with_its_cost(rows: dict[int, FitsRow]) -> None:
    middle = rows[96]
    assert [memory for memory, _ in middle.plain.over] == ["sram"]
    assert middle.fitting is not None
    assert middle.fitting.over == ()
    room = (80 << 10) - 3 * 96 * 96
    assert middle.smallest.arena <= middle.fitting.arena < room < middle.plain.arena
    assert 0 < middle.fitting.added_cost < 0.1


def test_what_never_fits_says_so(rows: dict[int, FitsRow]) -> None:
    assert rows[192].fitting is None
    text = fits_markdown(fits_facts(list(rows.values()), "desk"))
    assert [line.count("|") for line in text.splitlines()[:5]] == [9] * 5
    assert "RAM too small" in text
    assert "fits: as it is" in text
    assert "emulated" not in text


def test_a_flash_too_small_is_told_beside_a_ram_that_does() -> None:
    plain = Plan(900, 0.0, 0.0, (("flash", 5), ("sram", 7)), 0)
    found = Plan(400, 0.01, 0.02, (("flash", 5),), 1)
    row = FitsRow("net", 0.5, 160, 1000, 99, plain, found, found, found, True, "exact, 3 steps")
    text = fits_markdown(fits_facts([row], "desk"))
    assert "flash +5, sram +7" in text
    assert "| flash +5: 400 for 1.0%, cost +2.0%, input by rows | exact, 3 steps |" in text


def test_the_command_proves_a_point(tool: Callable[[str], str], tmp_path: Path) -> None:
    for program in ("arm-none-eabi-gcc", "qemu-system-arm"):
        tool(program)
    request = FitsRequest(("mobilenetv1",), (0.25,), (32,), prove=True, seconds=900.0)
    (row,) = fits_rows(request)
    assert row.emulated == "exact, 29 steps"
    facts: dict[str, Any] = json.loads(json.dumps(fits_facts([row], request.board)))
    assert facts["rows"][0]["plain"]["arena"] == row.plain.arena


def test_what_sharing_alone_makes_fit_is_told_so() -> None:
    plain, shared = Plan(900, 0.0, 0.0, (("sram", 7),), 0), Plan(500, 0.0, 0.0, (), 0)
    row = FitsRow("net", 0.5, 160, 1000, 99, plain, shared, shared, shared, False)
    assert "| fits: 500, bytes shared |" in fits_markdown(fits_facts([row], "desk"))
