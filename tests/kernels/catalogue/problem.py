"""One operator applied to one input: a graph of a single node, and what numpy says of it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, repeat
from typing import Any

import numpy as np

from catalogue.act import S8, Act
from deployer.ir.graph import Graph, Node, Requant
from deployer.ir.ops import OPS
from deployer.ir.types import DType, Layout, QuantParams, Value
from deployer.ir.verify import verify
from deployer.numerics import floating, integer
from deployer.numerics.requant import Multipliers

WEIGHTS = {
    "Conv2d": Layout.OHWI,
    "ConvTranspose2d": Layout.OHWI,
    "DepthwiseConv2d": Layout.HWC,
    "FullyConnected": Layout.OI,
}
_RANKS = {2: Layout.NC, 4: Layout.NHWC}


@dataclass(frozen=True, eq=False)
class Problem:
    """``inputs`` and ``expected`` are int8, int16 or float32, batch 1 in axis 0."""

    graph: Graph
    node: Node
    inputs: tuple[np.ndarray, ...]
    expected: np.ndarray

    def constant(self, index: int) -> np.ndarray:
        """The node's input number ``index``."""
        return self.graph.constants[self.node.inputs[index]]

    @property
    def tables(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        rq = self.node.rq
        multiplier, rounding, shift = (
            self.graph.constants[name] for name in (rq.multiplier, rq.rounding, rq.shift)
        )
        return multiplier, rounding, shift


@dataclass(frozen=True)
class Scaling:
    """Zero points, output scale, type and saturation of a node.

    ``act`` is the output's type. ``zero_right`` is that of inputs after the first, None for the
    first one's.
    """

    zero_in: int = 0
    zero_out: int = 0
    low: int = -128
    high: int = 127
    out_scale: float = 1.0
    zero_right: int | None = None
    act: Act = S8

    @property
    def zeros(self) -> Iterator[int]:
        """The zero point of each input."""
        return chain(
            [self.zero_in], repeat(self.zero_in if self.zero_right is None else self.zero_right)
        )


def pose(
    op: str,
    attrs: Any,
    inputs: Sequence[np.ndarray],
    constants: Mapping[str, np.ndarray],
    scaling: Scaling,
    multipliers: Multipliers | None = None,
) -> Problem:
    """The problem of one node; ``constants`` follow the activations in the node's inputs."""
    tables: dict[str, np.ndarray] = {}
    requant = None
    if multipliers is not None:
        tables = {
            "m": multipliers.multiplier,
            "r": multipliers.rounding,
            "s": multipliers.shift,
        }
        requant = Requant(multipliers.rule, "m", "r", "s", scaling.low, scaling.high)
    names = [f"x{i}" for i in range(len(inputs))]
    node = Node(op, op, (*names, *constants), ("y",), attrs, requant)
    shapes = [a.shape for a in (*inputs, *constants.values())]
    triples = zip(names, inputs, scaling.zeros, strict=False)
    values = [_activation(name, x, zero) for name, x, zero in triples]
    values.append(_output(OPS[op].shape(attrs, shapes), scaling))
    values += [_constant(op, name, array) for name, array in {**constants, **tables}.items()]
    graph = Graph(
        name=op,
        values={value.name: value for value in values},
        nodes=(node,),
        inputs=tuple(names),
        outputs=("y",),
        constants={**constants, **tables},
    )
    expected = integer.evaluate(verify(graph), node, [*inputs, *constants.values()])
    return Problem(graph, node, tuple(inputs), expected)


def pose_real(
    op: str, attrs: Any, inputs: Sequence[np.ndarray], constants: Mapping[str, np.ndarray]
) -> Problem:
    """The same of floats, by the definition on reals."""
    names = [f"x{i}" for i in range(len(inputs))]
    node = Node(op, op, (*names, *constants), ("y",), attrs)
    shape = OPS[op].shape(attrs, [a.shape for a in (*inputs, *constants.values())])
    values = [_real(name, x.shape) for name, x in zip(names, inputs, strict=True)]
    values.append(_real("y", shape))
    values += [_constant(op, name, array) for name, array in constants.items()]
    graph = Graph(
        name=op,
        values={value.name: value for value in values},
        nodes=(node,),
        inputs=tuple(names),
        outputs=("y",),
        constants=constants,
    )
    expected = floating.evaluate(verify(graph).nodes[0], [*inputs, *constants.values()])
    return Problem(graph, node, tuple(inputs), np.ascontiguousarray(expected, np.float32))


def _real(name: str, shape: tuple[int, ...]) -> Value:
    return Value(name, shape, DType.F32, _RANKS[len(shape)])


def _activation(name: str, x: np.ndarray, zero: int) -> Value:
    return Value(name, x.shape, DType(x.dtype.name), _RANKS[x.ndim], QuantParams((1.0,), zero))


def _output(shape: tuple[int, ...], scaling: Scaling) -> Value:
    quant = QuantParams((scaling.out_scale,), scaling.zero_out)
    return Value("y", shape, DType(scaling.act.numpy.name), _RANKS[len(shape)], quant)


def _constant(op: str, name: str, array: np.ndarray) -> Value:
    layout = WEIGHTS[op] if name == "w" else Layout.VECTOR
    return Value(name, array.shape, DType(array.dtype.name), layout)
