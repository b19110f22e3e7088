"""One tile a step, on a plan the board can hold."""

from __future__ import annotations

import dataclasses
from dataclasses import replace

import pytest

from deployer.allocate.allocate import allocate
from deployer.board.load import load_board
from deployer.errors import FitError, UsageError
from deployer.ir.attrs import PointAttrs, Window
from deployer.ir.graph import Graph, Node
from deployer.ir.plan import MemoryPlan, Schedule
from deployer.ir.region import Region
from deployer.ir.share import OVER, Share
from deployer.ir.tiling import TileCosts, Tiling
from deployer.ir.verify import InvariantError
from deployer.kernelset.select import by_symbol
from deployer.quantize.quantize import QuantOptions, quantize
from deployer.schedule.order import schedule
from deployer.tile.layer import Layer, layer_of
from deployer.tile.room import room_of, tiled_layer
from deployer.tile.search import Room, tiling_of
from deployer.tile.solve import tile
from unit.analysis.spatial_nets import SAME_3 as SAME
from unit.analysis.spatial_nets import SpatialNet
from unit.ir.boards import board
from unit.ir.nets import mnist, resnet8
from unit.quantize.graphs import Draft, noise

GAP8 = load_board("gap8")
COSTS = TileCosts(10, 5, 1, 100, 100)
STEPS = schedule(resnet8(), ["ref"])
PLAN = allocate(STEPS, board())


def test_every_step_is_one_tile_of_its_whole_output() -> None:
    tiles = tile(STEPS, PLAN, board()).steps
    assert [t.node for t in tiles] == [step.node for step in STEPS.steps]
    assert {t.count for t in tiles} == {1}
    assert tiles[0].tile == (1, 32, 32, 16)


def test_a_plan_without_a_place_for_an_output_is_refused() -> None:
    cut = tuple(p for p in PLAN.placements if p.buffer.id != "add3_out")
    with pytest.raises(UsageError, match="add3_out, written by add3"):
        tile(STEPS, dataclasses.replace(PLAN, placements=cut), board())


def test_a_plan_that_outgrew_its_memory_is_refused() -> None:
    with pytest.raises(FitError, match="sram"):
        tile(STEPS, PLAN, board(sram=49_151))


def test_a_plan_in_a_memory_that_is_not_for_arenas_is_refused() -> None:
    with pytest.raises(UsageError, match="sram"):
        tile(STEPS, PLAN, board(arena=("dtcm",)))


def on_gap8() -> tuple[Schedule, MemoryPlan]:
    order = schedule(mnist(), list(GAP8.kernels))
    return order, allocate(order, GAP8)


def test_a_board_with_an_inner_memory_has_the_tiles_of_fewest_cycles() -> None:
    order, plan = on_gap8()
    found = tile(order, plan, GAP8).steps
    assert [step.node for step in found] == [step.node for step in order.steps]
    for step, cut in zip(order.steps, found, strict=True):
        node = next(node for node in order.graph.nodes if node.name == step.node)
        layer = tiled_layer(order.graph, node, step.kernel, room_of(GAP8))
        assert (cut.tiling is None) == (layer is None)
        if cut.tiling is not None:
            axes = cut.tiling.rows, cut.tiling.columns, cut.tiling.channels
            assert cut.tile == (1, *(axis.tile for axis in axes))
            assert cut.count == cut.tiling.count


def test_another_tiler_picks_its_own_tiles() -> None:
    """Rows of one; neighbours have no say."""
    order, plan = on_gap8()

    def rows(layer: Layer, room: Room) -> Tiling:
        axes = layer.rows(1), layer.columns(layer.extents[1]), layer.channels(layer.extents[2])
        return tiling_of(layer, room, axes, True, COSTS)

    found = tile(order, plan, GAP8, tiler=rows).steps
    assert {step.tiling.rows.tile for step in found if step.tiling} == {1}
    assert max(step.count for step in found) > 1


def test_a_tiler_that_finds_none_where_one_fits_is_a_bug() -> None:
    order, plan = on_gap8()
    with pytest.raises(InvariantError, match="fits no tile, though its smallest one does"):
        tile(order, plan, GAP8, tiler=lambda layer, room: None)


def test_layers_of_a_region_run_in_its_pieces() -> None:
    """The grid of 4x4 in four; a convolution of 3x3 makes a border for the next one, but none
    outside of its tensor."""
    net = SpatialNet()
    point = net.conv(net.conv(net.input(4, 4, 3), 5, SAME), 6, SAME)
    nodes = tuple(node.name for node in net.nodes)
    region = Region(nodes, "patch", point, rows=(0, 1, 4), columns=(0, 2, 4))
    order = schedule(net.graph(regions=(region,)), ["ref"])
    first, second = tile(order, allocate(order, board()), board()).steps
    assert (first.tile, first.count) == ((1, 4, 3, 5), 4)
    assert (second.tile, second.count) == ((1, 3, 2, 6), 4)
    assert first.tiling is second.tiling is None


def test_what_only_tiles_can_do_is_not_left_to_a_whole_kernel() -> None:
    """A convolution whose output takes the bytes of its input, in a room for no tile at all."""
    order, _ = on_gap8()
    room = room_of(GAP8)
    assert room is not None
    nodes = {node.name: node for node in order.graph.nodes}
    step = next(s for s in order.steps if s.kernel and nodes[s.node].op == "Conv2d")
    node, nowhere = nodes[step.node], replace(room, size=16)
    assert tiled_layer(order.graph, node, step.kernel, nowhere) is None
    shares = (Share(node.name, node.inputs[0], OVER, 64),)
    shared = replace(order.graph, shares=shares)
    with pytest.raises(InvariantError, match="takes the bytes of its input, which only tiles can"):
        tiled_layer(shared, node, step.kernel, nowhere)


def whole_steps() -> dict[str, tuple[Graph, Node]]:
    draft = Draft(1, 6, 6, 4)
    small = draft.average("x", Window((6, 6)))
    draft.conv("x", 4, SAME, groups=2)
    draft.depthwise("x", SAME, multiplier=2)
    draft.depthwise("x", SAME)
    draft.conv("x", 4, SAME)
    draft.node("Mul", "x", small, attrs=PointAttrs())
    draft.node("Mul", "x", "x", attrs=PointAttrs())
    draft.transpose("x", 0, 2, 1, 3)
    outputs = [node.output for node in draft.nodes if node.output != small]
    graph = draft.graph(*outputs)
    found = quantize(graph, noise(graph), QuantOptions()).graph
    names = ("pool", "groups", "multiplied", "depthwise", "conv", "broadcast", "alike", "moved")
    return dict(zip(names, ((found, node) for node in found.nodes), strict=True))


@pytest.mark.parametrize(
    ("kind", "divides"),
    [
        ("conv", True), ("depthwise", True), ("alike", True), ("pool", True),
        ("groups", True), ("multiplied", True), ("broadcast", True), ("moved", False),
    ],
)  # fmt: skip
def test_layers_divide_where_a_tile_is_a_layer_of_its_kind(kind: str, divides: bool) -> None:
    graph, node = whole_steps()[kind]
    symbol = next(s.kernel for s in schedule(graph, ["ref"]).steps if s.node == node.name)
    kernel = replace(by_symbol(symbol), cycles=lambda case: 1.0)
    assert (layer_of(graph, node, kernel) is not None) == divides
    assert layer_of(graph, node, replace(kernel, cycles=None)) is None
