"""A Concat of parts that were cut from one value: it changes no number."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from deployer.ir.attrs import ConcatAttrs
from deployer.ir.graph import Graph, Node, Requant
from deployer.ir.rules import RequantRule
from deployer.ir.types import DType, Layout, Value

_TABLES = (("multiplier", 1, DType.S32), ("rounding", 0, DType.S32), ("shift", 0, DType.U8))


@dataclass(frozen=True)
class Joined:
    """``node`` and the constants it adds to a graph."""

    node: Node
    values: dict[str, Value]
    constants: dict[str, np.ndarray]


def joined(graph: Graph, node: Node, parts: Sequence[str], axis: int) -> Joined:
    """What puts ``parts`` of the output of ``node`` together along ``axis``, under its name. All
    have the quantization of the whole."""
    quant = graph.values[node.output].q
    values, constants = {}, {}
    for what, entry, kind in _TABLES:
        name = f"{node.name}.joined.{what}"
        values[name] = Value(name, (len(parts),), kind, Layout.VECTOR)
        constants[name] = np.full(len(parts), entry, kind.numpy)
    multiplier, rounding, shift = constants
    requant = Requant(RequantRule.SHIFT, multiplier, rounding, shift, quant.low, quant.high)
    attrs = ConcatAttrs(axis)
    made = Node(node.name, "Concat", tuple(parts), node.outputs, attrs, requant, origin=node.origin)
    return Joined(made, values, constants)
