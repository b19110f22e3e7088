"""What ``deployer bench board`` prints of measured cycles, and of an emulator's counts."""

from __future__ import annotations

from dataclasses import replace

from deployer.tools.bench.board_time import BoardTime, LayerCycles
from deployer.tools.bench.board_time_table import (
    board_points_facts,
    board_points_markdown,
    board_time_facts,
    board_time_markdown,
)
from deployer.units import CounterUnit, FigureKind
from deployer_hil import EnergyFacts, Load, Throughput
from deployer_hil.protocol import TimedRun

CAPS = {"clock_hz": "216000000", "clock_source": "hse-bypass", "icache": "on", "dcache": "on"}
LAYERS = (
    LayerCycles("conv", "dpl_conv2d_s8__ref", "3x3", 1000, 64, 2000, 1000),
    LayerCycles("add", "dpl_add_s8__ref", "8x8", 0, 64, 640, 320),
)
TIMES = Throughput(
    kind=FigureKind.MEASURED,
    unit=CounterUnit.CYCLES,
    clock_hz=216_000_000,
    hosted=False,
    load=Load(2, 3),
    cold=(TimedRun(2_700, 13),),
    warm=(TimedRun(1_404, 7), TimedRun(1_512, 7)),
    window_seconds=1.35e-5,
    caps=CAPS,
    tool="pyOCD",
)
ASSUMED: EnergyFacts = {
    "kind": FigureKind.ASSUMED,
    "meter": "assumed power of 3.5 W",
    "inferences": 1_000,
    "microjoules": 24.5,
    "net_microjoules": None,
    "seconds": 7e-6,
    "watts": 3.5,
    "idle_watts": None,
    "inferences_per_joule": 40_816.3,
    "edge_error": None,
}
FOUND = BoardTime(
    name="net",
    sha256="00",
    board="nucleo-f767zi",
    clock_hz=216_000_000,
    macs=1000,
    layers=LAYERS,
    compiler="gcc",
    flags=("-O2",),
    tool="pyOCD",
    caps=CAPS,
    kind=FigureKind.MEASURED,
    unit=CounterUnit.CYCLES,
    mac_cycles=0.5,
    throughput=TIMES,
    energy=None,
)


def cells(text: str, begins: str) -> list[str]:
    (line,) = (line for line in text.splitlines() if line.startswith(f"| {begins} "))
    return [cell.strip() for cell in line.split("|")[2:-1]]


def test_cold_and_warm_stand_beside_one_another_with_what_the_chip_says() -> None:
    facts = board_time_facts(FOUND)
    assert facts["total"] == {"cold": 2640, "warm": 1320}
    assert facts["kinds"] == {"counts": "measured", "energy": None}
    text = board_time_markdown(facts)
    assert cells(text, "conv")[3:] == ["2,000", "1,000", "2.00", "1.00", "0.00463", "50%"]
    assert cells(text, "add")[5:7] == ["10.00/el", "5.00/el"]
    assert "1.32" in cells(text, "**all**")
    assert "clock_source hse-bypass, icache on, dcache on" in text


def test_latencies_and_throughput_are_told_with_every_raw_time() -> None:
    facts = board_time_facts(FOUND)
    text = board_time_markdown(facts)
    assert "net on nucleo-f767zi: measured, 0.0065 ms warm, 0.0125 ms cold." in text
    rows = [line for line in text.splitlines() if line.startswith("| 2 warm")]
    assert [row.split("|")[2].strip() for row in rows] == ["ms", "cycles"]
    figures = [cell.strip() for cell in rows[1].split("|")[3:-1]]
    assert figures == ["1,404", "1,404", "", "", "1,512", "108"]
    assert "1.481e+05 frames a second, measured: 2 inferences back to back" in text
    assert facts["throughput"]["raw"] == {"cold": [(2_700, 13)], "warm": [(1_404, 7), (1_512, 7)]}


def test_frames_a_joule_say_that_power_is_assumed() -> None:
    facts = board_time_facts(replace(FOUND, energy=ASSUMED))
    assert facts["kinds"]["energy"] == "assumed"
    told = "4.082e+04 frames a joule, 24.5 µJ a frame: assumed, assumed power of 3.5 W."
    assert told in board_time_markdown(facts)


def test_counts_of_an_emulator_have_neither_milliseconds_nor_frames() -> None:
    counted = {"kind": FigureKind.COUNTED, "unit": CounterUnit.INSTRUCTIONS}
    times = replace(TIMES, window_seconds=None, **counted)  # type: ignore[arg-type]
    found = replace(FOUND, throughput=times, mac_cycles=None, **counted)  # type: ignore[arg-type]
    facts = board_time_facts(found)
    assert (facts["throughput"]["fps"], facts["throughput"]["latency_ms"]) == (None, None)
    text = board_time_markdown(facts)
    assert "net on nucleo-f767zi: counted, 1,404 instructions warm, 2,700 cold." in text
    assert "Instructions are no time: counted" in text
    assert " ms" not in text
    assert "frames" not in text
    assert "floor" not in text


def test_operating_points_stand_beside_one_another() -> None:
    slow = replace(FOUND, point="108MHz", clock_hz=108_000_000, energy=ASSUMED)
    facts = board_points_facts([FOUND, slow])
    assert [point["point"] for point in facts["points"]] == ["", "108MHz"]
    text = board_points_markdown(facts)
    assert cells(text, "the board's own")[0] == "216 MHz"
    assert cells(text, "108MHz")[0] == "108 MHz"
    assert cells(text, "108MHz")[-3:] == ["4.082e+04", "24.5", "measured/assumed"]
    assert "net on nucleo-f767zi at 108MHz: measured" in text
