"""A float network of few pixels and many channels, which only groups of channels make smaller."""

from __future__ import annotations

from deployer.ir.attrs import Pads, Window
from deployer.ir.graph import Graph
from unit.quantize.graphs import Draft

SAME = Window((3, 3), pads=Pads(1, 1, 1, 1))
POINT = Window((1, 1))


def narrowing() -> Graph:
    """An inverted residual, a wide convolution averaged, two dense layers with many in between."""
    draft = Draft(1, 3, 3, 8, seed=6)
    inner = draft.depthwise(draft.conv("x", 48, POINT), SAME)
    joined = draft.add("x", draft.conv(inner, 8, POINT))
    wide = draft.average(draft.conv(joined, 120, POINT), Window((3, 3)))
    hidden = draft.dense(draft.reshape(wide, 1, 120), 400)
    return draft.graph(draft.dense(hidden, 5))
