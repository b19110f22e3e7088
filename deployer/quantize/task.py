"""What converting one node takes and gives, shared by the families of layers."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

import numpy as np

from deployer.ir import Clamp, Graph, Layout, Node, QuantParams
from deployer.numerics import Multipliers, quantize
from deployer.quantize.ranges import Interval
from deployer.quantize.rounding import Round, nearest
from deployer.quantize.scheme import Scheme, Tensor
from deployer.quantize.widen import fit_output


@dataclass(frozen=True, eq=False)
class Constant:
    array: np.ndarray
    layout: Layout
    quant: QuantParams | None = None


@dataclass(frozen=True, eq=False)
class Task:
    """A node, what its inputs hold, and the output quantization that calibration wants.

    Operators that keep their input's quantization ignore ``wanted``. ``mean`` is the first input's
    mean per channel, None to leave the bias as it is. ``round`` rounds weights beside int16.
    """

    graph: Graph
    node: Node
    inputs: tuple[Tensor, ...]
    wanted: QuantParams | None
    scheme: Scheme
    mean: np.ndarray | None = None
    round: Round = nearest

    @property
    def output(self) -> QuantParams:
        if self.wanted is None:
            raise ValueError(f"{self.node.name} has no range of its own")
        return self.wanted

    @property
    def wide(self) -> bool:
        """Whether the node computes in int16."""
        return any(x.quant.bits == 16 for x in self.inputs)


@dataclass(frozen=True, eq=False)
class IntegerLayer:
    """``operands`` follow the activations among the node's inputs, keyed by their name's suffix.

    ``interval`` bounds the output's integers. ``node`` computes it in place of the task's, unless
    that is None.
    """

    output: QuantParams
    interval: Interval
    operands: Mapping[str, Constant] = field(default_factory=dict)
    multipliers: Multipliers | None = None
    notes: tuple[str, ...] = ()
    node: Node | None = None


def activation_bounds(clamp: Clamp, quant: QuantParams) -> Interval:
    """The type's range cut by a fused activation."""
    low = quant.low if clamp.low is None else integer_of(clamp.low, quant)
    high = quant.high if clamp.high is None else integer_of(clamp.high, quant)
    return low, high


def integer_of(real: float, quant: QuantParams) -> int:
    """The integer nearest to ``real``."""
    return int(quantize(real, quant))


def fitted(task: Task, attempt: Callable[[QuantParams], Multipliers]) -> IntegerLayer:
    """A layer with a fused activation whose multipliers are ``attempt`` of the output's scale."""
    output, multipliers, notes = fit_output(task.output, attempt)
    return IntegerLayer(
        output=output,
        interval=activation_bounds(task.node.attrs.clamp, output),
        multipliers=multipliers,
        notes=notes,
    )
