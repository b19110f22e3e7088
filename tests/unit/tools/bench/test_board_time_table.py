"""What ``deployer bench board`` prints of measured cycles."""

from __future__ import annotations

from deployer.tools.bench.board_time import BoardTime, LayerCycles
from deployer.tools.bench.board_time_table import board_time_facts, board_time_markdown

CAPS = {"clock_hz": "216000000", "clock_source": "hse-bypass", "icache": "on", "dcache": "on"}


def test_cold_and_warm_stand_beside_one_another_with_what_the_chip_says() -> None:
    layers = (
        LayerCycles("conv", "dpl_conv2d_s8__ref", "3x3", 1000, 64, 2000, 1000),
        LayerCycles("add", "dpl_add_s8__ref", "8x8", 0, 64, 640, 320),
    )
    found = BoardTime(
        "net", "00", "nucleo-f767zi", 216_000_000, 1000, layers, "gcc", ("-O2",), "pyOCD", CAPS
    )
    facts = board_time_facts(found)
    assert facts["total"] == {"cold": 2640, "warm": 1320}
    assert facts["kinds"] == {"cycles": "measured"}
    text = board_time_markdown(facts)
    conv, add, whole = (line for line in text.splitlines() if line.startswith("| ") and "0" in line)
    assert [cell.strip() for cell in conv.split("|")][5:11] == [
        *("2,000", "1,000", "2.00", "1.00", "0.00463", "50%"),
    ]
    assert "10.00/el" in add
    assert "5.00/el" in add
    assert "1.32" in whole
    assert "clock_source hse-bypass, icache on, dcache on" in text
