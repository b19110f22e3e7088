"""The table of kernels on tiles, from made-up figures."""

from __future__ import annotations

from deployer.board.load import load_board
from deployer.tools.bench.row import FAILED
from deployer.tools.bench.tiled_kernels import Found, Inside, InTiles, KernelRow
from deployer.tools.bench.tiled_kernels_table import tiled_kernels_facts, tiled_kernels_markdown

INSIDE = Inside(
    geometry="8x8x4 -> 8x8x4",
    kernel="dpl_any",
    rule="i32",
    work=9000,
    cycles=1000,
    kind="simulated",
    tool="gap8_sim-0",
    toolchain={"compiler": "gcc 12", "flags": ["-O2", "-g"]},
)
TILED = InTiles(geometry="16x16x4 -> 16x16x4", work=36000, tiles=3, cycles=4500, inside=4000)


def row(counts: str = "MAC", tiled: InTiles = TILED, runner: str = "gap8_sim") -> KernelRow:
    found = Found(INSIDE, 7500, tiled)
    return KernelRow("any", runner, counts, "exact", found=found)


def cells(*rows: KernelRow) -> list[list[str]]:
    """Of each line of the tables but heads and rules."""
    text = tiled_kernels_markdown(tiled_kernels_facts(load_board("gap8"), rows))
    lines = [line.strip("|").split("|") for line in text.splitlines() if line.startswith("| ")]
    found = [[cell.strip() for cell in line] for line in lines]
    return [line for line in found if line[0] not in ("layer", "---")]


def test_rates_speed_up_and_overhead() -> None:
    ((layer, shape, cycles, rate, one, speed_up, *tiled),) = cells(row())
    assert (layer, shape, cycles, rate) == ("any", "8x8x4 -> 8x8x4", "1,000", "9.00 MAC/c")
    assert (one, speed_up) == ("7,500", "7.50")
    assert tiled == ["16x16x4 -> 16x16x4", "3", "4,500", "4,000", "12.5%", "8.00 MAC/c"]


def test_what_multiplies_nothing_is_told_by_element() -> None:
    (found,) = cells(row("output"))
    assert (found[3], found[-1]) == ("0.11 c/output", "0.12 c/output")


def test_runners_have_tables_of_their_own_and_one_head() -> None:
    failed = KernelRow("any", "gvsoc", "MAC", FAILED, "gapy | is not here")
    text = tiled_kernels_markdown(tiled_kernels_facts(load_board("gap8"), [row(), failed]))
    assert "Runner gap8_sim (gap8_sim-0):" in text
    assert "Runner gvsoc:" in text
    assert "Compiler: gcc 12; flags: -O2 -g." in text
    assert cells(row(), failed)[1][:3] == ["any", "**failed** gapy / is not here", ""]


def test_a_table_without_any_figure_says_so() -> None:
    failed = KernelRow("any", "gvsoc", "MAC", FAILED, "gapy is not here")
    facts = tiled_kernels_facts(load_board("gap8"), [failed])
    assert (facts["kind"], facts["compiler"], facts["rows"][0]["inside"]) == ("", "", None)
    assert "no figures" in tiled_kernels_markdown(facts)
