"""Memory over time as text, drawn by hand; fetches, and joints of parts."""

from __future__ import annotations

import numpy as np
import pytest

from deployer.ir.attrs import ConcatAttrs
from deployer.ir.chart import chart_letters, memory_chart, short_name
from deployer.ir.graph import Graph, Node
from deployer.ir.join import joined
from deployer.ir.plan import Buffer, MemoryPlan, Placement, StepTiles, TilePlan
from deployer.ir.prefetch import Fetch, PrefetchPlan, weights_id
from deployer.ir.tiling import Axis, TileBuffer, TileCosts, Tiling
from deployer.ir.types import DType, Layout, QuantParams, Value


def plan(height: int, *rows: tuple[str, int, int, int, int], memory: str = "ram") -> MemoryPlan:
    """Rows: name, first step, step behind the last, bytes, offset."""
    places = tuple(
        Placement(Buffer(name, first, end, size), memory, at) for name, first, end, size, at in rows
    )
    return MemoryPlan(places, (("ram", height),), height, "optimal", "hand")


def test_a_column_is_a_byte_where_there_is_room() -> None:
    chart = memory_chart(plan(6, ("a", 0, 2, 4, 0), ("b", 1, 3, 2, 4), ("c", 2, 3, 3, 1)), "ram")
    assert list(chart) == [
        "ram: 6 B; a column is 1 B, > marks the peak",
        "  step      alive  address  begins",
        "     0          4  AAAA..  A=a",
        ">    1          6  AAAABB  B=b",
        "     2          5  .CCCBB  C=c",
    ]


def test_a_column_holds_as_many_bytes_as_fit_56_columns() -> None:
    for height, band, columns in ((56, 1, 56), (57, 2, 29), (112, 2, 56), (113, 3, 38)):
        lines = list(memory_chart(plan(height, ("a", 0, 1, height, 0)), "ram"))
        assert lines[0] == f"ram: {height} B; a column is {band} B, > marks the peak"
        assert lines[2].split()[3] == "A" * columns


def test_the_buffer_with_most_bytes_of_a_column_is_its_letter() -> None:
    """One that has no column of its own is marked where it begins."""
    rows = (("a", 0, 1, 57, 0), ("b", 0, 1, 1, 57), ("c", 0, 1, 110, 58))
    line = list(memory_chart(plan(168, *rows), "ram"))[2]
    assert line == f">    0        168  {'A' * 19}#{'C' * 36}  A=a B=b C=c"


def test_the_first_of_equal_peaks_is_marked_and_an_empty_memory_has_none() -> None:
    rows = list(memory_chart(plan(4, ("a", 0, 3, 4, 0)), "ram"))[2:]
    assert [row[0] for row in rows] == [">", " ", " "]
    assert list(memory_chart(plan(0), "ram"))[2:] == []
    elsewhere = plan(4, ("a", 0, 2, 4, 0), memory="far")
    assert [row.split()[-1] for row in list(memory_chart(elsewhere, "ram"))[2:]] == ["....", "...."]


def test_letters_begin_again_behind_the_52nd() -> None:
    many = plan(60, *((f"n{i}", i, 60, 1, i) for i in range(54)))
    letters = chart_letters(many)
    assert [letters[f"n{i}"] for i in (0, 25, 26, 51, 52, 53)] == ["A", "Z", "a", "z", "A", "B"]


def test_names_are_cut_to_the_width_of_a_page() -> None:
    rows = tuple((f"{'x' * 30}{i}", 0, 1, 1, i) for i in range(9))
    line = list(memory_chart(plan(9, *rows), "ram"))[2]
    assert len(line) == 100
    assert line.endswith("..")
    assert f"A=..{'x' * 17}0 B=" in line


@pytest.mark.parametrize(
    ("name", "width", "shown"),
    [("abcdef", 6, "abcdef"), ("abcdefg", 6, "..defg"), ("abcdefg", 3, "..g")],
)
def test_the_end_of_a_name_is_shown(name: str, width: int, shown: str) -> None:
    assert short_name(name, width) == shown


def test_fetches_know_their_buffers_and_a_plan_its_bytes() -> None:
    first = Fetch("a", "w", 0, 16, 0, 1, others=("b", "c"))
    second = Fetch("d", "v", 16, 40, 1, 2)
    prefetch = PrefetchPlan("l3", (first, second), 8, 0, 99, (("a", 5), ("d", 7)))
    assert (first.buffer, weights_id("x")) == ("a.weights", "x.weights")
    assert (prefetch.bytes, prefetch.stalled) == (56, 12)
    assert prefetch.by_node == {"a": first, "b": first, "c": first, "d": second}
    assert PrefetchPlan("l3", (first,), 8, 0, 99).stalled == 0


def test_tiles_of_steps_take_turns_in_a_memory() -> None:
    def step(memory: str, size: int) -> StepTiles:
        axis, buffers = Axis(1, 1, 1), (TileBuffer("a", 0, size),)
        costs = TileCosts(1, 1, 0, 1, 1)
        tiling = Tiling(memory, axis, axis, axis, False, 0, True, buffers, costs)
        return StepTiles("n", (1,), 1, tiling)

    tiles = TilePlan((step("l1", 8), step("l1", 24), StepTiles("m", (1,)), step("far", 3)))
    assert tiles.heights == {"l1": 24, "far": 3}


def test_parts_of_an_output_are_joined_without_a_change() -> None:
    quant = QuantParams((0.5,), 3)
    value = Value("y", (1, 4, 2, 3), DType.S8, Layout.NHWC, quant)
    node = Node("n", "Conv2d", ("x",), ("y",), None, origin=("conv",))
    graph = Graph("g", {"y": value}, (node,), ("x",), ("y",), {})
    made = joined(graph, node, ("a", "b", "c"), 1)
    assert (made.node.op, made.node.inputs, made.node.outputs) == (
        "Concat",
        ("a", "b", "c"),
        ("y",),
    )
    assert (made.node.attrs, made.node.origin) == (ConcatAttrs(1), ("conv",))
    rq = made.node.rq
    assert (rq.rule, rq.low, rq.high) == ("shift", -128, 127)
    found = [made.constants[name] for name in (rq.multiplier, rq.rounding, rq.shift)]
    assert [array.tolist() for array in found] == [[1] * 3, [0] * 3, [0] * 3]
    assert [array.dtype for array in found] == [np.int32, np.int32, np.uint8]
    for name, array in made.constants.items():
        assert made.values[name] == Value(name, (3,), DType(array.dtype.name), Layout.VECTOR)
