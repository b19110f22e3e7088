"""Plans, tiles and attributes: what their small properties say, and what is meant when not told."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from deployer.errors import UsageError
from deployer.ir import serde
from deployer.ir.attrs import (
    BlockAttrs,
    Clamp,
    ConcatAttrs,
    ConvAttrs,
    ConvTransposeAttrs,
    PadAttrs,
    Pads,
    PoolAttrs,
    ReshapeAttrs,
    ResizeAttrs,
    SliceAttrs,
    TransposeAttrs,
    Window,
)
from deployer.ir.graph import Graph, Node
from deployer.ir.ops import OPS
from deployer.ir.plan import (
    Buffer,
    ConstantPlace,
    MemoryPlan,
    Placement,
    Step,
    StepTiles,
    Waits,
)
from deployer.ir.region import Region
from deployer.ir.share import OVER, Share
from deployer.ir.stored import load_sound
from deployer.ir.tiling import Axis, Cut, TileBuffer, TileCosts, Tiling, input_name
from deployer.ir.types import DType, Layout, QuantParams, Value, hwc
from unit.ir.nets import mnist
from unit.ir.test_ir_plans_refused import small


def test_a_sound_file_is_read_as_what_was_written(tmp_path: Path) -> None:
    serde.save(small(), tmp_path / "graph.json")
    found = load_sound(tmp_path / "graph.json")
    assert isinstance(found, Graph)
    assert found.nodes == small().nodes
    assert found.values == small().values


def test_an_unsound_file_is_refused_with_what_is_wrong(tmp_path: Path) -> None:
    plan = MemoryPlan((), (), -1, "optimal", "s")
    serde.save(plan, tmp_path / "plan.json")
    with pytest.raises(UsageError) as caught:
        load_sound(tmp_path / "plan.json")
    assert any("heights that cannot be" in line for line in caught.value.why)


@pytest.mark.parametrize(
    ("axis", "cuts"),
    [
        (Axis(6, 6, 6, 1, 3, 1), [Cut(0, 6, 0, 6, 1, 1)]),
        (Axis(3, 3, 7, 2, 3, 0), [Cut(0, 3, 0, 7, 0, 0)]),
        (Axis(2, 5, 5, 1, 3, 1), [Cut(0, 2, 0, 3, 1), Cut(2, 2, 1, 4), Cut(4, 1, 3, 2, 0, 1)]),
        (Axis(2, 3, 6, 2, 3, 0), [Cut(0, 2, 0, 5), Cut(2, 1, 4, 2, 0, 1)]),
    ],
)
def test_cuts_of_an_axis_by_hand(axis: Axis, cuts: list[Cut]) -> None:
    assert list(axis.cuts) == cuts
    assert axis.count == len(cuts)
    assert axis.most_inputs == max(cut.inputs for cut in cuts)


def test_arrays_of_tiles_end_behind_their_sides() -> None:
    assert TileBuffer("a", 16, 8).end == 24
    assert TileBuffer("a", 16, 8, 2).end == 32
    assert [input_name(index) for index in range(3)] == ["input", "input_1", "input_2"]


A, B, C = Buffer("a", 0, 2, 8), Buffer("b", 1, 3, 8), Buffer("c", 2, 4, 8)


def test_buffers_meet_while_both_are_needed() -> None:
    assert A.overlaps(B)
    assert B.overlaps(A)
    assert not A.overlaps(C)
    assert not C.overlaps(A)


def test_a_plan_says_where_buffers_lie_and_what_is_copied() -> None:
    places = tuple(
        ConstantPlace(name, "n", size, "flash", memory, 0, 0)
        for name, size, memory in (
            ("w", 13, "dtcm"), ("v", 8, "dtcm"), ("u", 9, "itcm"), ("t", 99, "flash"),
        )
    )  # fmt: skip
    first, second = Placement(A, "ram", 0), Placement(B, "ram", 8)
    plan = MemoryPlan((first, second), (("ram", 16), ("far", 4)), 16, "o", "s", constants=places)
    assert (plan.at("a"), plan.at("b"), plan.arena) == (first, second, 20)
    assert plan.copies == {"dtcm": 16 + 8, "itcm": 16}
    assert [place.copied for place in places] == [True, True, True, False]
    with pytest.raises(KeyError, match="c"):
        plan.at("c")


def test_waits_say_what_is_proven() -> None:
    assert Waits(1000, 2000, True).text == (
        "waits 1,000 cycles (estimated), the least in as many bytes; 2,000 without regard to them"
    )
    assert "the least known in as many bytes" in Waits(1000, 2000, False).text


def test_what_is_not_told_is_the_plain_case() -> None:
    assert Step(0, "n", "k").scratch == 0
    assert Pads() == Pads(0, 0, 0, 0)
    assert not Pads().any
    assert all(Pads(*(int(i == side) for i in range(4))).any for side in range(4))
    assert Window((3, 2)) == Window((3, 2), (1, 1), (1, 1), Pads())
    assert Window((3, 2)).taps == 6
    assert ConvAttrs(Window((1, 1))).groups == 1
    assert ConvAttrs(Window((1, 1))).clamp == Clamp() == Clamp(None, None)
    assert not PoolAttrs(Window((1, 1))).count_include_pad
    assert not SliceAttrs((0,), (1,)).fetched
    region = Region(("n",), "stream", "y")
    assert region == Region(("n",), "stream", "y", (), (), 1, False, (), (), ())
    assert Share("n", "x", OVER).overlap_offset == 0
    node = Node("n", "Add", ("x", "y"), ("z",), None)
    assert (node.stored, node.kernel, node.origin, node.requant) == (0, "", (), None)
    assert QuantParams((0.5,)) == QuantParams((0.5,), 0, None, 8)
    assert Axis(4, 8, 8) == Axis(4, 8, 8, 1, 1, 0)
    assert Cut(0, 4, 0, 4) == Cut(0, 4, 0, 4, 0, 0)
    costs = TileCosts(1, 1, 0, 1, 1)
    assert costs == TileCosts(1, 1, 0, 1, 1, early=False)
    axis, buffers = Axis(4, 8, 8), (TileBuffer("a", 0, 8),)
    tiling = Tiling("l1", axis, axis, axis, False, 0, True, buffers, costs)
    assert (tiling.prefetched, tiling.kept, tiling.border_padding) == (False, "", False)
    assert StepTiles("n", (1,)).count == 1


def test_tiles_are_counted_over_all_axes_and_their_bytes_over_all_sides() -> None:
    buffers = (TileBuffer("a", 0, 8, 2), TileBuffer("b", 24, 4), TileBuffer("c", 16, 8))
    axes = Axis(4, 8, 8), Axis(3, 8, 8), Axis(2, 8, 8)
    tiling = Tiling("l1", *axes, False, 0, True, buffers, TileCosts(1, 1, 0, 1, 1))
    assert (tiling.count, tiling.bytes, tiling.end) == (2 * 3 * 4, 28, 28)
    assert tiling.buffer("b") == buffers[1]


def test_shapes_and_products_follow_the_table_of_operators() -> None:
    """Each beside a definition by hand."""
    window = Window((3, 2), (2, 1), (1, 2), Pads(1, 0, 0, 2))
    x, conv = (1, 9, 7, 4), ConvAttrs(window)
    cases: list[tuple[str, Any, list[tuple[int, ...]], tuple[int, ...], int]] = [
        ("Conv2d", conv, [x, (5, 3, 2, 4)], (1, 4, 7, 5), 4 * 7 * 5 * 3 * 2 * 4),
        ("DepthwiseConv2d", conv, [x, (3, 2, 8)], (1, 4, 7, 8), 4 * 7 * 8 * 6),
        ("FullyConnected", None, [(1, 6), (5, 6)], (1, 5), 30),
        ("ConvTranspose2d", ConvTransposeAttrs(window, (20, 8)), [x, (5, 3, 2, 4)],
         (1, 20, 8, 5), 9 * 7 * 5 * 3 * 2 * 4),
        ("AveragePool", PoolAttrs(window), [x], (1, 4, 7, 4), 0),
        ("Concat", ConcatAttrs(1), [x, (1, 2, 7, 4)], (1, 11, 7, 4), 0),
        ("Slice", SliceAttrs((0, 1, 2, 0), (1, 4, 7, 4)), [x], (1, 3, 5, 4), 0),
        ("Pad", PadAttrs((0, 1, 2, 0), (0, 0, 3, 5)), [x], (1, 10, 12, 9), 0),
        ("Mul", None, [x, (1, 1, 1, 4)], x, 0),
        ("Mul", None, [(1, 1, 1, 4), x], x, 0),
        ("Resize", ResizeAttrs((2, 3)), [x], (1, 18, 21, 4), 0),
        ("DepthToSpace", BlockAttrs(2), [x], (1, 18, 14, 1), 0),
        ("SpaceToDepth", BlockAttrs(3), [(1, 9, 6, 4)], (1, 3, 2, 36), 0),
        ("Transpose", TransposeAttrs((0, 3, 1, 2)), [x], (1, 4, 9, 7), 0),
        ("Reshape", ReshapeAttrs((1, 252)), [x], (1, 252), 0),
        ("Add", None, [x, x], x, 0),
    ]  # fmt: skip
    for name, attrs, shapes, expected, macs in cases:
        assert OPS[name].shape(attrs, shapes) == expected, name
        assert OPS[name].macs(attrs, shapes) == macs, name


@pytest.mark.parametrize(("bits", "low", "high"), [(8, -128, 127), (16, -32768, 32767)])
def test_integers_of_a_width_have_their_ends(bits: int, low: int, high: int) -> None:
    quant = QuantParams((0.5,), bits=bits)
    assert (quant.low, quant.high, quant.steps) == (low, high, high - low)
    assert quant.dtype is (DType.S8 if bits == 8 else DType.S16)


def test_what_has_no_single_scale_or_none_at_all_is_a_bug() -> None:
    with pytest.raises(ValueError, match="one scale per channel"):
        assert QuantParams((0.5, 0.25)).tensor_scale
    assert QuantParams((0.25,)).tensor_scale == 0.25
    with pytest.raises(ValueError, match="x is not quantized"):
        assert Value("x", (1, 2), DType.S8, Layout.NC).q
    with pytest.raises(ValueError, match="n is not quantized"):
        assert Node("n", "Add", ("x",), ("y",), None).rq


@pytest.mark.parametrize(
    ("shape", "expected"),
    [((1, 7), (1, 1, 7)), ((1, 5, 7), (1, 5, 7)), ((1, 3, 5, 7), (3, 5, 7))],
)
def test_shapes_of_any_rank_have_rows_columns_and_channels(
    shape: tuple[int, ...], expected: tuple[int, int, int]
) -> None:
    assert hwc(shape) == expected
    value = Value("x", shape, DType.S16, Layout.NHWC)
    count = shape[0] * expected[0] * expected[1] * expected[2]
    assert (value.elements, value.bytes) == (count, 2 * count)


def test_products_of_layers_are_those_of_each_output_with_its_weights() -> None:
    graph = mnist()
    counted = 0
    for node in graph.nodes:
        if node.op not in ("Conv2d", "DepthwiseConv2d", "FullyConnected"):
            continue
        height, width, _ = hwc(graph.values[node.output].shape)
        weights = graph.values[node.inputs[1]].elements
        found = OPS[node.op].macs(node.attrs, graph.shapes(node.inputs))
        assert found == height * width * weights
        counted += 1
    assert counted >= 3
