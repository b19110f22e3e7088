"""The plot of MAC/cycle over the size of the inner memory."""

from __future__ import annotations

from pathlib import Path

import pytest

from deployer.drawing.sweep import check_plot, draw_sweep, sweep_svg
from deployer.errors import UsageError
from deployer.tools.bench.tiles_facts import tiles_table_facts
from unit.drawing.drawn import SVG, parsed, texts
from unit.tools.bench.tiled_rows import board, row, too_large


def facts() -> dict:  # type: ignore[type-arg]
    rows = [row(600, 600, 0), row(1200, 1200, 0, inner=22), row(800, 400, 0, tiler="dory")]
    return tiles_table_facts(board(), [*rows, too_large(inner=30)])


def test_a_line_a_tiler_and_a_point_a_run() -> None:
    root = parsed(sweep_svg(facts()))
    paths = [item.get("d", "") for item in root.iter(f"{SVG}path")]
    assert sum(path.count("L") for path in paths) == 1
    tips = [item.text or "" for item in root.iter(f"{SVG}title")]
    assert [tip for tip in tips if "MAC/cycle, " in tip] == [
        "22 KiB: 5.00 MAC/cycle, cost",
        "64 KiB: 10.00 MAC/cycle, cost",
        "64 KiB: 10.00 MAC/cycle, dory",
    ]
    said = texts(root)
    assert "tiler dory, l2 512 KiB, gap8_sim" in said
    assert {"22", "64", "net"} <= set(said)
    assert "30" not in said


def test_more_is_higher_and_larger_is_further_right() -> None:
    root = parsed(sweep_svg(facts()))
    low, high, _ = root.iter(f"{SVG}circle")
    assert float(low.get("cx", 0)) < float(high.get("cx", 0))
    assert float(low.get("cy", 0)) > float(high.get("cy", 0))


def test_nothing_ran_is_an_error_and_leaves_no_file(tmp_path: Path) -> None:
    path = tmp_path / "plot.svg"
    with pytest.raises(UsageError, match="nothing ran"):
        draw_sweep(path, tiles_table_facts(board(), [too_large()]))
    assert not path.exists()
    draw_sweep(path, facts())
    assert path.read_text().startswith("<svg")


def test_a_plot_is_an_svg_in_a_folder_that_exists(tmp_path: Path) -> None:
    check_plot(None)
    check_plot(tmp_path / "plot.svg")
    for path in (tmp_path / "plot.png", tmp_path / "none" / "plot.svg"):
        with pytest.raises(UsageError):
            check_plot(path)
