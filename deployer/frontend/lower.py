"""A checked network to the float graph, by what lowers each ONNX operator."""

from __future__ import annotations

from deployer.frontend.builder import Builder
from deployer.frontend.net import Net
from deployer.frontend.operators import OPERATORS
from deployer.ir import Graph


def lower(net: Net) -> Graph:
    """The float graph of a checked ``net``, in NHWC."""
    builder = Builder(net)
    for op in net.ops:
        OPERATORS[op.type].lower(builder, op)
    return builder.graph()
