"""The tables of a sweep: worst first, what counts as small, shares of ref, what was refused."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from deployer.tools.bench.row import DIFFERS, EXACT, NO_FIT
from deployer.tools.bench.sweep_counts import NOTHING, Counted
from deployer.tools.bench.sweep_draw import SweepRequest, draw_layers
from deployer.tools.bench.sweep_layers import ELEMENT, MAC, OUTPUT, TAP, SweepLayer
from deployer.tools.bench.sweep_row import StepCount, SweepRow
from deployer.tools.bench.sweep_table import sweep_facts, sweep_markdown
from deployer.tools.timing.pipelines import pipeline_of
from deployer.units import CounterUnit, FigureKind
from unit.tools.timing.measured import MACHINE

FAST, SLOW = "dpl_conv2d_s8__armv7em_winograd", "dpl_conv2d_s8__ref"
CYCLES = Counted((), FigureKind.ESTIMATED, CounterUnit.CYCLES, "QEMU 7", "gcc 12", ("-O2",))


def layers(operator: str, *, small: bool = False) -> list[SweepLayer]:
    drawn = draw_layers(SweepRequest(count=60, operators=(operator,)))
    return [layer for layer in drawn if layer.small == small]


def row(
    layer: SweepLayer, rate: float, kernel: str = FAST, theirs: float | None = None
) -> SweepRow:
    """With as many cycles as ``rate`` says, ``theirs`` times that many of CMSIS-NN."""
    cycles = rate * layer.work
    step = StepCount(kernel, layer.macs, instructions=int(2 * cycles), cycles=cycles)
    return SweepRow(layer, EXACT, steps=(step,), theirs_by_part=(theirs and theirs * cycles,))


@pytest.fixture
def rows() -> list[SweepRow]:
    convs, pools = [one for one in layers("Conv2d") if one.per == MAC], layers("MaxPool")
    pools = [one for one in pools if one.per == ELEMENT]
    return [
        row(convs[0], 1.25),
        row(convs[1], 3.75, SLOW),
        row(convs[2], 0.5),
        row(pools[0], 9.5),
        row(pools[1], 12.5, "dpl_max_pool_s8__ref_any"),
        row(layers("Softmax", small=True)[0], 99.0),
        SweepRow(convs[3], NO_FIT, "flash by 7 B"),
    ]


def text(rows: list[SweepRow], made: Counted = CYCLES, worst: int = 20) -> str:
    return sweep_markdown(sweep_facts("desk", rows, made, seed=3, machine=MACHINE), worst=worst)


def table(markdown: str, title: str) -> list[list[str]]:
    """Cells of the rows below ``title``."""
    block = markdown[markdown.index(title) :].split("\n\n")[1]
    return [[cell.strip() for cell in line.split("|")[1:-1]] for line in block.splitlines()[2:]]


def test_the_worst_stand_first_by_mac_and_by_element(rows: list[SweepRow]) -> None:
    found = text(rows)
    by_mac, by_element = table(found, "Worst 3 of 3 by"), table(found, "Worst 2 of 2 by")
    assert [cells[-1] for cells in by_mac] == ["3.75", "1.25", "0.50"]
    assert [cells[-1] for cells in by_element] == ["12.50", "9.50"]
    assert by_mac[0][0] == f"Conv2d {rows[1].layer.text}"
    assert by_mac[0][2] == SLOW


def test_pools_of_large_windows_stand_by_tap_and_by_element() -> None:
    pool = next(one for one in layers("AveragePool") if one.per == TAP)
    (cells,) = table(text([row(pool, 2.5)]), "Worst 1 of 1 by cycles a tap")
    taps = pool.taps // pool.elements
    assert cells[-2:] == ["2.50", f"{2.5 * taps:.2f}"]
    assert cells[3:5] == [f"{pool.taps:,}", f"{pool.elements:,}"]


def test_as_many_as_asked_for_are_shown(rows: list[SweepRow]) -> None:
    found = text(rows, worst=1)
    assert [cells[-1] for cells in table(found, "Worst 1 of 3 by")] == ["3.75"]


def test_small_layers_have_no_rates_in_the_tables(rows: list[SweepRow]) -> None:
    found = text(rows)
    assert "99.00" not in found
    assert f"small: 1 of {len(rows)} layers" in found
    facts = sweep_facts("desk", rows, CYCLES, seed=3)
    assert facts["rows"][5]["rate"] == pytest.approx(99.0)
    assert facts["rows"][5]["small"]


def test_operators_tell_what_falls_to_portable_kernels(rows: list[SweepRow]) -> None:
    facts = sweep_facts("desk", rows, CYCLES, seed=3)
    by_name = {one["operator"]: one for one in facts["operators"]}
    conv, pool = by_name["Conv2d"], by_name["MaxPool"]
    assert (conv["layers"], conv["fallback"]) == (3, 1)
    assert conv["fallback_macs"] == rows[1].layer.macs
    assert conv["macs"] == sum(one.layer.macs for one in rows[:3])
    assert (conv["median_mac"], conv["worst_mac"]) == (pytest.approx(1.25), pytest.approx(3.75))
    assert (pool["fallback"], pool["worst_element"]) == (1, pytest.approx(12.5))
    assert "33% of the layers" in text(rows)


def test_layers_above_two_cycles_a_mac_are_counted(rows: list[SweepRow]) -> None:
    found = text(rows)
    assert "Above 2 cycles a MAC: 1 of 3" in found
    assert "Above 8 cycles an element: 2 of 2 pools and elementwise operators." in found


def test_convolutions_of_few_products_have_a_table_and_no_bar(rows: list[SweepRow]) -> None:
    few = [one for one in layers("Conv2d") if one.per == OUTPUT][:2]
    found = [*rows, row(few[0], 9.5), row(few[1], 20.5)]
    facts, read = sweep_facts("desk", found, CYCLES, seed=3), text(found)
    assert [cells[-1] for cells in table(read, "Worst 2 of 2 by cycles an output")] == [
        "20.50",
        "9.50",
    ]
    assert facts["bar"]["element"] == {"rate": 8.0, "layers": 2, "above": 2}
    assert facts["bar"]["tap"] == {"rate": 2.0, "layers": 0, "above": 0}
    assert "no bar: 2, median 15.00 and worst 20.50 cycles an output." in read
    assert facts["operators"][0]["worst_output"] == pytest.approx(20.5)
    assert "no bar" not in text(rows)


def test_the_bar_of_a_cortex_a53_is_of_the_core_and_of_large_layers() -> None:
    cortex_a53 = replace(MACHINE, pipeline=pipeline_of("cortex-a53"))
    drawn = [one for name in ("Conv2d", "ConvTranspose2d") for one in layers(name)]
    large = [one for one in drawn if one.macs >= 100_000][:2]
    little = next(one for one in drawn if one.macs < 100_000)

    def of_core(layer: SweepLayer, rate: float) -> SweepRow:
        step = StepCount(FAST, layer.macs, 1, cycles=9.0 * layer.macs, core=rate * layer.macs)
        return SweepRow(layer, EXACT, steps=(step,))

    found = [of_core(large[0], 0.75), of_core(large[1], 0.85), of_core(little, 5.0)]
    facts = sweep_facts("desk", found, CYCLES, seed=3, machine=cortex_a53)
    assert [one["above"] for one in facts["rows"]] == [False, True, False]
    assert (facts["bar"]["layers"], facts["bar"]["above"]) == (2, 1)
    above = table(sweep_markdown(facts), "Above 0.8 core cycles a MAC: 1 of 2")
    assert [cells[-1] for cells in above] == ["0.85"]


def test_the_bar_of_gap8_is_told_in_macs_a_cycle_with_what_transfers_take() -> None:
    large = [one for one in layers("Conv2d") if one.macs >= 100_000][:2]

    def of(layer: SweepLayer, rate: float) -> SweepRow:
        cycles = layer.macs / rate
        step = StepCount(FAST, layer.macs, cycles=cycles, moved=cycles / 4, stalled=int(cycles / 2))
        return SweepRow(layer, EXACT, steps=(step,))

    made = replace(CYCLES, kind=FigureKind.SIMULATED)
    facts = sweep_facts("gap8", [of(large[0], 5.5), of(large[1], 2.5)], made, seed=3)
    assert [one["above"] for one in facts["rows"]] == [False, True]
    below = table(sweep_markdown(facts), "Below 5 MAC/cycle: 1 of 2")
    assert [cells[-3:] for cells in below] == [["2.50", "25%", "50%"]]
    assert not sweep_facts("desk", [of(large[1], 2.5)], made, seed=3)["rows"][0]["above"]


def test_what_was_refused_is_listed_with_its_reason(rows: list[SweepRow]) -> None:
    found = text([*rows, SweepRow(rows[0].layer, DIFFERS, "not golden")])
    assert f"{rows[6].layer.text}, {rows[6].layer.bits} bits: does not fit, flash by 7 B" in found
    assert f"{rows[0].layer.bits} bits: differs, not golden" in found
    assert "outputs of 1 layers are not golden" in found
    assert "every output is golden" in text(rows)


def test_layers_slower_than_the_library_are_listed_worst_first(rows: list[SweepRow]) -> None:
    convs = [one for one in layers("Conv2d") if one.per == MAC]
    compared = [row(convs[0], 2.0, theirs=0.8), row(convs[1], 1.0, theirs=3.0)]
    found = text([*compared, row(convs[2], 4.0, theirs=0.5), rows[3]])
    slower = table(found, "Slower than CMSIS-NN: 2 of 3")
    assert [cells[-3:] for cells in slower] == [["4.00", "2.00", "0.50"], ["2.00", "1.60", "0.80"]]
    assert "small" not in found[found.index("Slower") :].splitlines()[0]
    assert "Slower" not in text(rows)


def test_small_layers_that_are_slower_stand_last(rows: list[SweepRow]) -> None:
    small, large = layers("FullyConnected", small=True)[0], layers("Conv2d")[0]
    found = text([row(small, 9.0, theirs=0.1), row(large, 2.0, theirs=0.9)])
    slower = table(found, "Slower than CMSIS-NN: 2 of 2 layers that both have, 1 of them small")
    assert [cells[0] for cells in slower] == [
        f"Conv2d {large.text}",
        f"FullyConnected {small.text}",
    ]


def test_a_table_says_what_its_figures_are(rows: list[SweepRow]) -> None:
    found = text(rows)
    assert "Cycles are estimated, ± 15%" in found
    assert f"issue rules '{MACHINE.pipeline.rules}'" in found
    assert "Compiled by gcc 12, -O2." in found
    counted = replace(CYCLES, kind=FigureKind.COUNTED, unit=CounterUnit.INSTRUCTIONS)
    instructions = [
        replace(one, steps=tuple(replace(step, cycles=None) for step in one.steps)) for one in rows
    ]
    facts = sweep_facts("desk", instructions, counted, seed=3)
    assert "Instructions are counted; every output is golden." in sweep_markdown(facts)
    assert facts["rows"][1]["rate"] == pytest.approx(7.5)


def test_a_board_that_counts_nothing_tells_kernels(rows: list[SweepRow]) -> None:
    silent = [
        replace(one, steps=tuple(StepCount(step.kernel, step.macs) for step in one.steps))
        for one in rows
    ]
    found = text(silent, NOTHING)
    assert "Worst" not in found
    assert "Nothing counts on this board" in found
    assert "By MAC" not in found
    assert "Ran in" not in found
    assert table(found, "By operator")[0][2] == "1"
    assert [SLOW, "1"] in table(found, "Kernels")


def test_facts_are_json(rows: list[SweepRow]) -> None:
    facts = sweep_facts("desk", rows, CYCLES, seed=3)
    assert json.loads(json.dumps(facts))["rows"][0]["per"] == "MAC"
    assert facts["schema"] == 1


def test_a_layer_of_several_steps_is_named_by_the_longest() -> None:
    layer = layers("shuffle")[0]
    steps = (StepCount(FAST, 10, 50, 20.0), StepCount(SLOW, 5, 40, 30.0), StepCount("", 0, 0, 0.0))
    found = SweepRow(layer, EXACT, steps=steps)
    assert (found.kernel, found.cycles, found.instructions) == (SLOW, 50.0, 90)
    assert found.fallback_macs == 5


def test_each_part_of_a_unit_is_judged_alone() -> None:
    """A step that the planner adds counts to the part before which it stands."""
    layer = layers("shuffle")[0]
    cycles = [(0, 700.0), (1, 5.0), (1, 30.0), (2, 90.0), (3, 800.0)]
    steps = tuple(StepCount(FAST, 10, 50, count, part=part) for part, count in cycles)
    whole = SweepRow(layer, EXACT, steps=steps, theirs_by_part=(1400.0, None, 60.0, 80.0))
    found = whole.judged
    assert [one.layer.operator.partition(" ")[2] for one in found] == [
        part.op for part in layer.parts if part.op != "Reshape"
    ]
    assert [one.cycles for one in found] == [700.0, 35.0, 90.0, 800.0]
    assert [one.slower for one in found] == [0.5, None, 1.5, 10.0]
    assert sum(one.layer.macs for one in found) == layer.macs


def test_a_layer_of_one_part_is_judged_as_it_is(rows: list[SweepRow]) -> None:
    assert [list(one.judged) for one in rows] == [[one] for one in rows]
