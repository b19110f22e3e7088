"""The runtime in C makes the calls that analysis/regions.py defines: order, windows, pads."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from hypothesis import Phase, given, settings

from deployer.analysis.launch import launches
from deployer.analysis.layout import layout_of
from deployer.analysis.liveness import places
from deployer.analysis.regions import Operand, Piece, RegionLayout
from deployer.analysis.storage import Slot
from deployer.codegen.network import kernel_sources
from deployer.ir.graph import Graph, Node
from deployer.ir.plan import MemoryPlan, Schedule
from unit.analysis.spatial_nets import regional
from unit.codegen.generated_c import Compiler, planned
from unit.ir.strategies import STEADY

STRUCTS = {
    "conv2d": ("conv2d", ("input", "output"), "pads"),
    "depthwise_conv2d": ("depthwise_conv2d", ("input", "output"), "pads"),
    "conv_transpose2d": ("conv_transpose2d", ("input", "output"), "pads"),
    "average_pool": ("pool", ("input", "output"), "pads"),
    "max_pool": ("pool", ("input", "output"), "pads"),
    "add": ("add", ("left", "right", "output"), ""),
    "mul": ("mul", ("left", "right", "output"), ""),
    "prelu": ("prelu", ("input", "output"), ""),
    "table": ("table", ("input", "output"), ""),
    "rescale": ("rescale", ("input", "output"), ""),
    "copy": ("copy", ("input", "output"), ""),
    "pad": ("pad", ("input", "output"), "start"),
    "resize_nearest": ("resize", ("input", "output"), "start"),
    "resize_linear": ("resize", ("input", "output"), "start"),
    "depth_to_space": ("block", ("input", "output"), "start"),
    "space_to_depth": ("block", ("input", "output"), ""),
}
HEAD = """
#include <stdio.h>
#include "dpl_net.h"
#include "dpl/conv2d.h"
#include "dpl/depthwise_conv2d.h"
#include "dpl/conv_transpose2d.h"
#include "dpl/pool.h"
#include "dpl/elementwise.h"
#include "dpl/concat.h"
#include "dpl/move.h"
#include "dpl/resize.h"
extern const dpl_network random_net;
static void show(const dpl_tensor_s8 *t) {
    printf("t %d %d %d %d %d\\n", (int)(t->data - random_net.outputs[0].data), (int)t->height,
           (int)t->width, (int)t->ring_height, (int)t->first_row);
}
static inline void pads(const dpl_pads *p) {
    printf("p %d %d %d %d\\n", (int)p->top, (int)p->left, (int)p->bottom, (int)p->right);
}
void dpl_concat_s8__ref(const dpl_concat_s8_args *a) {
    printf("concat\\n");
    for (int i = 0; i < a->count; i++) {
        show(&a->parts[i].input);
        show(&a->parts[i].output);
    }
}
"""
MAIN = """
#include <stdio.h>
#include "dpl_net.h"
extern const dpl_network random_net;
static void give(void *context, const dpl_rows *rows) {
    (void)context;
    printf("rows\\n%d %d %d %d\\n", rows->input, rows->first_row, rows->count,
           (int)(rows->into - random_net.outputs[0].data));
}
"""


def stubs() -> str:
    """Kernels that print their windows and compute nothing."""
    text = HEAD
    shown = {
        "pads": "    pads(&a->window.pads);\n",
        "start": '    printf("s %d %d\\n", (int)a->top, (int)a->left);\n',
        "": "",
    }
    for name, (struct, tensors, more) in STRUCTS.items():
        text += f"void dpl_{name}_s8__ref(const dpl_{struct}_s8_args *a) {{\n"
        text += f'    printf("{name}\\n");\n'
        text += "".join(f"    show(&a->{tensor});\n" for tensor in tensors)
        text += shown[more] + "}\n"
    return text


def main_of(order: Schedule) -> str:
    """Runs the regions only."""
    steps = (launch.index for launch in launches(order) if launch.region)
    calls = "".join(f"    random_net.steps[{i}].run();\n" for i in steps)
    source = "    if (random_net.input_rows) {\n        random_net.input_rows(give, 0);\n    }\n"
    return f"{MAIN}\nint main(void) {{\n{source}{calls}    return 0;\n}}\n"


def expected(graph: Graph, plan: MemoryPlan) -> Iterator[list[str]]:
    """Per call the kernel and its windows."""
    start = plan.at(places(graph)[graph.outputs[0]].buffer).offset
    start += places(graph)[graph.outputs[0]].offset
    for region in graph.regions:
        layout = layout_of(graph, region)
        nodes = {node.output: node for node in layout.scope.nodes}
        for piece in layout.pieces():
            if piece.value in nodes:
                lines = list(_call(layout, plan, nodes[piece.value], piece, start))
                node = nodes[piece.value]
                yield from _parts(graph, node, lines) if node.op == "Concat" else [lines]
            else:
                yield from _fetched(layout, plan, piece, start)


def _parts(graph: Graph, node: Node, lines: list[str]) -> Iterator[list[str]]:
    """A call for each input of a Concat: what it reads, what it writes. None for an input that is
    there and keeps its elements, as SpatialNet's tables without a shift say."""
    moves = graph.constants[node.rq.shift] > 0
    for moved, source, target in zip(moves, lines[1::2], lines[2::2], strict=True):
        if moved or source != target:
            yield [lines[0], source, target]


def _fetched(
    layout: RegionLayout, plan: MemoryPlan, piece: Piece, start: int
) -> Iterator[list[str]]:
    """Whole rows, until the ring's end and from its beginning."""
    graph, ring = layout.scope.graph, layout.stored[piece.value].rows
    _, _, width, depth = graph.values[piece.value].shape
    assert piece.columns == (0, width)
    base, (first, last) = plan.at(piece.value).offset - start, piece.rows
    while first < last:
        count = min(last - first, ring - first % ring)
        at = base + first % ring * width * depth
        yield ["rows", f"{graph.inputs.index(piece.value)} {first} {count} {at}"]
        first += count


def _call(
    layout: RegionLayout, plan: MemoryPlan, node: Any, piece: Piece, start: int
) -> Iterator[str]:
    names = {"Sub": "add", "PRelu": "prelu", "Slice": "copy"}
    if node.op == "Resize":
        names["Resize"] = f"resize_{node.attrs.mode}"
    snake = "".join(f"_{c.lower()}" if c.isupper() else c for c in node.op)[1:]
    yield names.get(node.op, snake)
    boxes = layout.operands(piece)
    out = Operand(piece.value, piece.rows, piece.columns)
    depth, done = layout.scope.graph, 0
    for box in boxes:
        skipped = node.attrs.begin[3] if node.op == "Slice" else 0
        yield _window(layout, plan, box, piece, skipped, start)
        if node.op == "Concat":
            yield _window(layout, plan, out, piece, done, start)
            done += depth.values[box.value].shape[3]
    if node.op != "Concat":
        yield _window(layout, plan, out, piece, 0, start)
    if hasattr(node.attrs, "window"):
        down, across = layout.pads(piece)
        yield f"p {down.before} {across.before} {down.after} {across.after}"
    if node.op == "Pad":
        down, across = layout.pads(piece)
        yield f"s {down.before} {across.before}"
    if node.op in ("Resize", "DepthToSpace"):
        top, left = layout.start(piece)
        yield f"s {top} {left}"


def _window(
    layout: RegionLayout, plan: MemoryPlan, box: Operand, piece: Piece, channel: int, start: int
) -> str:
    graph = layout.scope.graph
    slot = layout.slots.get(box.value, Slot(box.value))
    stored = layout.stored.get(slot.owner)
    _, height, width, depth = graph.values[slot.owner].shape
    top, left = layout.origin(box.value, piece)
    ring = layout.line_buffered and stored is not None and stored.rows < height
    width = width if stored is None else stored.columns
    place = places(graph).get(slot.owner)
    base = plan.at(place.buffer).offset + place.offset if place else plan.at(slot.owner).offset
    rows = 0 if ring else box.rows[0] - top
    at = base + (rows * width + box.columns[0] - left) * depth + slot.channel + channel - start
    tall, wide = (end - begin for begin, end in (box.rows, box.columns))
    last = f"{stored.rows} {box.rows[0]}" if ring and stored else "0 0"
    return f"t {at} {tall} {wide} {last}"


@pytest.fixture(scope="module")
def compiler(tool: Callable[[str], str], tmp_path_factory: pytest.TempPathFactory) -> Compiler:
    return Compiler(tool("gcc"), tmp_path_factory.mktemp("calls"))


@settings(STEADY, max_examples=20, phases=[Phase.generate])
@given(case=regional())
def test_both_make_the_same_calls(compiler: Compiler, case: Any) -> None:
    graph, _ = case
    order, plan, files = planned(graph)
    runtime = [compiler.object(name) for name in kernel_sources(order) if "runtime" in name]
    program = compiler.program({**files, "stubs.c": stubs()}, runtime, main_of(order))
    text = compiler.output(program, b"").decode()
    found: list[list[str]] = []
    for line in text.splitlines():
        if line[0].isalpha() and line[:2] not in ("t ", "p ", "s "):
            found.append([])
        found[-1].append(line)
    wanted = list(expected(graph, plan))
    assert [call[0] for call in found] == [call[0] for call in wanted]
    for one, other in zip(found, wanted, strict=True):
        assert sorted(one) == sorted(other)
