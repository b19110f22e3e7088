"""Float networks with the operators of edge networks, by hand."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from deployer.ir.attrs import (
    BlockAttrs,
    Clamp,
    PadAttrs,
    Pads,
    PointAttrs,
    ResizeAttrs,
    SliceAttrs,
    Window,
)
from deployer.ir.graph import Graph
from unit.quantize.graphs import Draft

SAME = Window((3, 3), pads=Pads(1, 1, 1, 1))


def encoder_decoder() -> Graph:
    """Skip connections joined to a transposed convolution and to a magnified map; two outputs."""
    draft = Draft(1, 8, 6, 3, seed=1)
    wide = draft.conv("x", 6, SAME)
    deep = draft.conv(draft.largest(wide, Window((2, 2), (2, 2))), 8, SAME)
    up = draft.deconv(deep, 6, Window((3, 3), (2, 2), pads=Pads(1, 1, 1, 1)), (8, 6))
    joined = draft.concat(wide, up, axis=3)
    head = draft.conv(joined, 4, SAME)
    linear = draft.node("Resize", deep, attrs=ResizeAttrs((2, 2), "linear"))
    corner = draft.node("Resize", deep, attrs=ResizeAttrs((2, 4), "linear", half_pixel=False))
    near = draft.node("Resize", head, attrs=ResizeAttrs((1, 2)))
    other = draft.concat(draft.conv(linear, 3, SAME), head, axis=3)
    last = draft.concat(draft.conv(corner, 4, SAME), near, axis=2)
    grouped = draft.deconv(
        other, 7, Window((2, 3), (1, 2), (2, 1)), (9, 13), groups=7, clamp=Clamp(0.0)
    )
    return draft.graph(grouped, last)


def gated() -> Graph:
    """Squeeze and excite, a product of two maps, a difference, PRelu, tables of each kind."""
    draft = Draft(1, 6, 6, 4, seed=2)
    x = draft.table(draft.conv("x", 8, SAME, clamp=Clamp()), "hard_swish")
    gate = draft.conv(draft.average(x, Window((6, 6))), 8, Window((1, 1)), clamp=Clamp())
    gate = draft.table(gate, "hard_sigmoid", 1 / 6, 0.5)
    scaled = draft.node("Mul", gate, x, attrs=PointAttrs())
    left = draft.prelu(draft.conv(scaled, 8, SAME, clamp=Clamp()), np.linspace(-0.2, 0.8, 8))
    right = draft.conv(scaled, 8, SAME, clamp=Clamp())
    product = draft.node("Mul", draft.table(left, "tanh"), draft.table(right, "sigmoid"), attrs=NO)
    difference = draft.node("Sub", scaled, product, attrs=PointAttrs(Clamp(0.0, 1.5)))
    leaky = draft.table(draft.node("Sub", difference, right, attrs=NO), "leaky_relu", 0.1)
    flat = draft.reshape(leaky, 1, 288)
    return draft.graph(draft.table(draft.dense(flat, 5), "swish"))


def moving() -> Graph:
    """Elements moved in every way, joined along every axis; a second input and rank 2."""
    draft = Draft(1, 6, 8, 4, seed=3, name="image")
    draft.second_input(1, 5, name="numbers")
    depth = draft.node("SpaceToDepth", "image", attrs=BlockAttrs(2))
    space = draft.node("DepthToSpace", depth, attrs=BlockAttrs(2, column_first=True))
    top = draft.node("Slice", space, attrs=SliceAttrs((0, 0, 1, 0), (1, 4, 7, 4)))
    odd = draft.node("Slice", space, attrs=SliceAttrs((0, 2, 2, 1), (1, 6, 8, 3)))
    padded = draft.node("Pad", odd, attrs=PadAttrs((0, 0, 0, 1), (0, 0, 0, 1), 5.0))
    tall = draft.concat(top, padded, axis=1)
    mixed = draft.conv(tall, 5, SAME)
    bordered = draft.node("Pad", mixed, attrs=PadAttrs((0, 1, 2, 0), (0, 0, 1, 2)))
    flat = draft.reshape(bordered, 1, int(np.prod(draft.values[bordered].shape)))
    rank2 = draft.concat(draft.dense(flat, 6), "numbers", axis=1)
    part = draft.node("Slice", rank2, attrs=SliceAttrs((0, 2), (1, 9)))
    return draft.graph(draft.dense(part, 4), bordered)


NO = PointAttrs()
EDGE_GRAPHS: dict[str, Callable[[], Graph]] = {
    "encoder_decoder": encoder_decoder,
    "gated": gated,
    "moving": moving,
}
