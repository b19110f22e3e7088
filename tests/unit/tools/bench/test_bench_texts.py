"""Cells and lines of tables, word for word."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from deployer.analysis.launch import launches
from deployer.tools.bench import (
    board_time_table,
    model_time_table,
    tiled_kernels_table,
    tiles_facts,
)
from deployer.tools.bench.accuracy_table import accuracy_markdown
from deployer.tools.bench.markdown import geometry
from deployer.tools.bench.peer_rows import footnotes, layer_cells, network_cells
from planned import pinned, planned

ROW = {
    "scheme": "multiply-shift",
    "calibrate": "minmax",
    "error": "",
    "equalize": True,
    "bias_correction": False,
    "top1": 0.51234,
    "agreement": 0.98765,
    "sqnr_db": 31.26,
}
FACTS: dict[str, Any] = {
    "model": "net.onnx",
    "float": {"top1": 0.5},
    "rows": [
        ROW,
        {**ROW, "equalize": False, "bias_correction": True, "sqnr_db": None, "top1": None},
        {**ROW, "error": "no range"},
    ],
    "data": {"samples": 20, "file": "data.npz"},
    "labelled": 18,
    "calibration": {"same": False, "samples": 7, "file": "more.npz"},
}


def test_accuracy_as_markdown() -> None:
    lines = [
        " | ".join(map(str.strip, line.split("|")))
        for line in accuracy_markdown(FACTS).splitlines()
    ]
    assert [line.strip() for line in lines] == [
        "| network | calibration | equalized | bias corrected | top-1 | as float | SQNR |",
        lines[1].strip(),
        "| float |  |  |  | 50.00% |  |  |",
        "| multiply-shift | minmax | yes | no | 51.23% | 98.77% | 31.3 dB |",
        "| multiply-shift | minmax | no | yes |  | 98.77% | no noise |",
        "| multiply-shift | minmax |  |  |  |  | **no range** |",
        "",
        "`net.onnx`, 20 samples of `data.npz`, 18 with a label.",
        "Calibrated on 7 samples of `more.npz`.",
        "Integers computed on the host; a board gives the same, bit for bit.",
    ]


def test_what_it_was_calibrated_on_may_be_the_same() -> None:
    text = accuracy_markdown({**FACTS, "labelled": 0, "calibration": {"same": True}})
    assert "data.npz`, no labels.\nCalibrated on the same samples.\n" in text


@pytest.mark.parametrize("name", ["patches", "residual"])
def test_geometry_of_steps_and_regions_is_that_pinned(name: str) -> None:
    schedule = planned(name).schedule
    rows = (geometry(schedule.graph, launch) for launch in launches(schedule))
    pinned(Path(__file__).parent / "pinned" / f"{name}-geometry.txt", "\n".join(rows))


def _layer(macs: int, against: dict[str, int] | None) -> dict[str, Any]:
    return {"macs": macs, "elements": 50, "instructions": 300, "cycles": 0, "against": against}


def test_cells_beside_a_peer() -> None:
    theirs = {"instructions": 600, "core": 500, "cycles": 450}
    assert layer_cells(_layer(200, theirs)) == ["3.00", "2.25", "2.00x", "450.00x"]
    assert layer_cells(_layer(0, theirs)) == ["12.00/el", "9.00/el", "2.00x", "450.00x"]
    assert layer_cells(_layer(200, None)) == ["", "", "", ""]
    ours = {"instructions": 300, "core": 1, "cycles": 900}
    sums = {"theirs": theirs, "ours": ours, "macs": 300, "rounding": "single"}
    networks = [{"against": {**sums, "left_out": left}} for left in (["Pad"], ["Mul", "Pad"], [])]
    assert network_cells(networks[0]) == ["2.00", "1.50", "2.00x", "0.50x"]
    first, _, last = footnotes(networks)
    assert first.startswith("CMSIS-NN: your build (single rounding), same layers")
    assert last == "Not called of CMSIS-NN: Mul, Pad."
    assert len(footnotes(networks[2:])) == 2


@pytest.mark.parametrize(
    ("schema", "documented"),
    [
        (board_time_table.SCHEMA, 2),
        (model_time_table.MODEL_TIME_SCHEMA, 1),
        (tiled_kernels_table.SCHEMA, 1),
        (tiles_facts.SCHEMA, 1),
    ],
    ids=["board", "model", "kernels in tiles", "tiles"],
)
def test_files_of_this_version_are_of_the_schema_documented(schema: int, documented: int) -> None:
    """A reader of an earlier file refuses another number (docs/bench.md)."""
    assert schema == documented
