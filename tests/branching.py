"""A float network that restructures in every way."""

from __future__ import annotations

from deployer.ir.attrs import Pads, Window
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
