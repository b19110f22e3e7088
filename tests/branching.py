"""Float networks that restructure in every way."""

from __future__ import annotations

from deployer.ir.attrs import BlockAttrs, PadAttrs, Pads, ResizeAttrs, Window
from deployer.ir.graph import Graph
from unit.quantize.graphs import Draft

SAME = Window((3, 3), pads=Pads(1, 1, 1, 1))


def branching() -> Graph:
    """A stem with a stride, an inverted residual, two branches joined, a dense head."""
    draft = Draft(1, 21, 19, 3, seed=4)
    stem = draft.conv("x", 8, Window((3, 3), (2, 2), pads=Pads(0, 1, 1, 1)))
    inner = draft.depthwise(draft.conv(stem, 16, Window((1, 1))), SAME)
    joined = draft.add(stem, draft.conv(inner, 8, Window((1, 1))))
    left = draft.table(draft.conv(joined, 6, SAME), "hard_swish")
    both = draft.concat(left, draft.average(joined, SAME), axis=3)
    small = draft.largest(both, Window((2, 2), (2, 2)))
    wide = draft.deconv(small, 5, Window((2, 2), (2, 2)), (10, 10))
    last = draft.average(draft.conv(wide, 8, Window((3, 3), (2, 2))), Window((4, 4)))
    return draft.graph(draft.dense(draft.reshape(last, 1, 8), 5))


def magnifying() -> Graph:
    """Down by a border and blocks, up by copies, lines between neighbours, gaps and blocks."""
    draft = Draft(1, 14, 18, 2, seed=6)
    wide = draft.node("Pad", "x", attrs=PadAttrs((0, 1, 1, 0), (0, 1, 1, 0)))
    deep = draft.conv(draft.node("SpaceToDepth", wide, attrs=BlockAttrs(2)), 6, SAME)
    small = draft.largest(deep, Window((2, 2), (2, 2)))
    copied = draft.node("Resize", draft.conv(small, 6, SAME), attrs=ResizeAttrs((2, 2)))
    joined = draft.conv(draft.concat(deep, copied, axis=3), 6, SAME)
    smooth = draft.node("Resize", joined, attrs=ResizeAttrs((2, 2), "linear"))
    sparse = draft.deconv(joined, 4, Window((1, 1), (2, 2)), (16, 20))
    both = draft.add(draft.conv(smooth, 4, SAME), sparse)
    return draft.graph(draft.node("DepthToSpace", both, attrs=BlockAttrs(2, column_first=True)))


def deep(blocks: int) -> Graph:
    """Residual blocks of four nodes each, and a pool behind them."""
    draft = Draft(1, 8, 8, 4, seed=1)
    x = "x"
    for _ in range(blocks):
        inner = draft.depthwise(draft.conv(x, 4, Window((1, 1))), SAME)
        x = draft.add(x, draft.conv(inner, 4, SAME))
    return draft.graph(draft.largest(x, Window((2, 2), (2, 2))))
