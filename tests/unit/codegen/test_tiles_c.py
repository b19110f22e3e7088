"""Generated steps in tiles compute the plain integers, wherever they are cut.

The code of the cluster runs here: transfers are copies, and kernels in plain C take the place of
those of the cluster, with and without zero points beside the rows of their input.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import cache

import numpy as np
import pytest

from deployer.allocate.allocate import allocate
from deployer.board.load import load_board
from deployer.codegen import tile_step
from deployer.codegen.network import generate, kernel_sources
from deployer.ir.attrs import Pads, PointAttrs, SliceAttrs, Window
from deployer.ir.graph import Graph
from deployer.ir.plan import MemoryPlan, Schedule, StepTiles, TilePlan
from deployer.ir.share import VIEW, Share
from deployer.ir.tiling import TileCosts
from deployer.kernelset.blocking.pulp import GROUP_CHANNELS as GROUP
from deployer.kernelset.kernel import Kernel, KernelCase, case_of
from deployer.kernelset.select import by_symbol
from deployer.numerics.interpret import run
from deployer.quantize.quantize import QuantOptions, quantize
from deployer.schedule.order import schedule
from deployer.tile.first_tile import with_prefetch
from deployer.tile.layer import Layer, layer_of
from deployer.tile.memory import Axes
from deployer.tile.search import tiling_of
from unit.codegen.generated_c import MAIN, Compiler
from unit.codegen.test_shares_c import scheduled
from unit.quantize.graphs import Draft, noise
from unit.tile.layers import room

ROOM = room(1 << 20)
COSTS = TileCosts(1_000_000, 900_000, 50_000, 10_000, 10_000)
SAME = Window((3, 3), pads=Pads(1, 1, 1, 1))
HALF = Window((3, 3), (2, 2), pads=Pads(0, 0, 1, 1))
SEEDS = range(4)
CLUSTER = """
#include <string.h>
#include "dpl/dma.h"
#include "dpl/offload.h"
uint32_t dpl_dma_open(void) { return 0; }
int dpl_dma_moving(uint32_t group) { return group != 0; }
void dpl_dma_wait(uint32_t group) { (void)group; }
void dpl_dma_in(void *l1, const void *far, uint32_t bytes) { memcpy(l1, far, bytes); }
void dpl_dma_out(void *far, const void *l1, uint32_t bytes) { memcpy(far, l1, bytes); }
void dpl_dma_in_lines(void *l1, const void *far, uint32_t count, uint32_t line, uint32_t stride) {
    for (uint32_t i = 0; i < count; i++) {
        memcpy((char *)l1 + i * line, (const char *)far + i * stride, line);
    }
}
void dpl_dma_out_lines(void *far, const void *l1, uint32_t count, uint32_t line, uint32_t stride) {
    for (uint32_t i = 0; i < count; i++) {
        memcpy((char *)far + i * stride, (const char *)l1 + i * line, line);
    }
}
void dpl_offload_call(void (*fn)(const void *args), const void *args) { fn(args); }
int dpl_offload_moved(uint32_t group) { return group == 0; }
int dpl_is_fetched(uint32_t number) { (void)number; return 1; }
void dpl_offload_wait(void) {}
int main(""".lstrip()


def residual() -> Graph:
    """Every operator that has tiles, and convolutions of all strides."""
    draft = Draft(1, 10, 14, 4, seed=1)
    stem = draft.conv("x", 8, SAME)
    joined = draft.add(stem, draft.conv(draft.table(stem, "hard_swish"), 8, SAME))
    small = draft.largest(draft.conv(joined, 12, HALF), Window((2, 2), (2, 2)))
    deep = draft.conv(draft.depthwise(small, SAME), 16, Window((1, 1)))
    both = draft.node("Mul", deep, draft.rescale(deep), attrs=PointAttrs())
    pooled = draft.average(both, Window((2, 3)))
    return draft.graph(draft.dense(draft.reshape(pooled, 1, 16), 12))


def parted() -> Graph:
    """Pixels with others between them, taps with others between them, large windows."""
    draft = Draft(1, 9, 11, 3, seed=2)
    left = draft.conv("x", 8, Window((5, 3), pads=Pads(2, 1, 2, 1)))
    joined = draft.concat(left, draft.conv(left, 4, SAME), axis=3)
    apart = Window((3, 3), dilation=(2, 2), pads=Pads(2, 2, 2, 2))
    return draft.graph(draft.conv(draft.largest(joined, Window((2, 2))), 8, apart))


def windowed() -> Graph:
    """Inputs that are windows of larger tensors, where bytes are shared; pads on one side alone."""
    draft = Draft(1, 8, 8, 8, seed=3)
    left = draft.node("Slice", "x", attrs=SliceAttrs((0, 0, 0, 0), (1, 8, 8, 4)))
    right = draft.node("Slice", "x", attrs=SliceAttrs((0, 0, 0, 4), (1, 8, 8, 8)))
    both = draft.add(draft.conv(left, 8, SAME), draft.conv(right, 8, SAME))
    return draft.graph(draft.conv(both, 8, HALF))


NETS: dict[str, Callable[[], Graph]] = {
    "residual": residual, "parted": parted, "windowed": windowed,
}  # fmt: skip


def has_border_padding(case: KernelCase) -> bool:
    return case.op == "Conv2d" and (case.pads.left > 0 or case.pads.right > 0)


def kernel_named(symbol: str, *, padded: bool) -> Kernel:
    padding_of = has_border_padding if padded else lambda case: False
    return replace(by_symbol(symbol), cycles=lambda case: 1.0, border_padding=padding_of)


def axes_by_chance(layer: Layer, rng: np.random.Generator) -> Axes:
    """Weights are not packed in groups here, so that only those of whole channels can be cut."""
    rows, columns, channels = layer.extents
    groups = int(rng.integers(1, channels // GROUP + 1)) if channels % GROUP == 0 else 0
    deep = groups * GROUP if groups and layer.case.op != "DepthwiseConv2d" else channels
    tall, wide = (int(rng.integers(1, size + 1)) for size in (rows, columns))
    return (
        layer.rows(tall if rng.random() < 0.7 else rows),
        layer.columns(wide if rng.random() < 0.5 else columns),
        layer.channels(deep if rng.random() < 0.7 else channels),
    )


def tiles_by_chance(order: Schedule, seed: int, *, padded: bool) -> Iterator[list[StepTiles]]:
    rng = np.random.default_rng(seed)
    nodes = {node.name: node for node in order.graph.nodes}
    for step in order.steps:
        node = nodes[step.node]
        kernel = kernel_named(step.kernel, padded=padded) if step.kernel else None
        layer = layer_of(order.graph, node, kernel) if kernel else None
        if layer is None:
            yield [StepTiles(step.node, case_of(order.graph, node).out_shape)]
            continue
        if layer.case.weights:
            size = order.graph.constants[node.inputs[1]].nbytes
            layer = replace(layer, group_bytes=size // -(-layer.extents[2] // GROUP))
        axes = axes_by_chance(layer, rng)
        tiling = tiling_of(layer, ROOM, axes, bool(rng.random() < 0.5), COSTS)
        yield [StepTiles(step.node, layer.case.out_shape, tiling.count, tiling)]


@cache
def planned(net: str) -> tuple[Schedule, MemoryPlan]:
    draft, board = NETS[net](), load_board("host")
    graph = replace(quantize(draft, noise(draft), QuantOptions()).graph, name="random")
    order = schedule(graph, board.kernels)
    if slices := [node for node in graph.nodes if node.op == "Slice"]:
        views = tuple(Share(node.name, node.inputs[0], VIEW) for node in slices)
        order = scheduled(replace(graph, shares=views))
    return order, allocate(order, board)


@cache
def tiles_of(net: str, seed: int, *, padded: bool) -> TilePlan:
    order, _ = planned(net)
    chosen = tiles_by_chance(order, seed, padded=padded)
    return TilePlan(with_prefetch(chosen, order.graph, ROOM))


def check(compiler: Compiler, net: str, seed: int, *, padded: bool) -> None:
    order, plan = planned(net)
    graph, tiles = order.graph, tiles_of(net, seed, padded=padded)
    files = generate(order, plan, version="0", options=(), tiles=tiles)
    objects = [compiler.object(name) for name in kernel_sources(order, tiles)]
    program = compiler.program(files, objects, MAIN.replace("int main(", CLUSTER))
    rng = np.random.default_rng(seed)
    given = {
        name: rng.integers(-128, 128, graph.values[name].shape, np.int8) for name in graph.inputs
    }
    raw = compiler.output(program, b"".join(given[name].tobytes() for name in graph.inputs))
    found, expected = compiler._split(graph, raw), run(graph, given)
    for name in graph.outputs:
        np.testing.assert_array_equal(found[name], expected[name])


@pytest.fixture(scope="module")
def compiler(tool: Callable[[str], str], tmp_path_factory: pytest.TempPathFactory) -> Compiler:
    return Compiler(tool("gcc"), tmp_path_factory.mktemp("tiles"))


@pytest.mark.parametrize("padded", [False, True], ids=["plain", "padded"])
@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("net", NETS)
def test_tiles_by_chance_are_bit_exact(
    net: str, seed: int, padded: bool, compiler: Compiler, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tile_step, "by_symbol", lambda symbol: kernel_named(symbol, padded=padded))
    check(compiler, net, seed, padded=padded)


def test_chance_cuts_every_axis_and_leaves_arrays_for_the_next_step() -> None:
    """Otherwise the test above says less than it seems to."""
    each = [tiles_of(n, s, padded=b) for n in NETS for s in SEEDS for b in (False, True)]
    tilings = [step.tiling for tiles in each for step in tiles.steps if step.tiling]
    for axis in ("rows", "columns", "channels"):
        assert any(getattr(tiling, axis).count > 2 for tiling in tilings)
    assert any(tiling.prefetched for tiling in tilings)
    assert any(tiling.kept for tiling in tilings)
    for inner in (False, True):
        kinds = {
            (t.rows.count > 1, t.columns.count > 1)
            for t in tilings
            if t.border_padding and t.channels_inner == inner
        }
        assert len(kinds) == 4
