"""One float node to its integers: output quantization, constants, requantization."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

import numpy as np

from deployer.errors import ModelError
from deployer.ir.attrs import Clamp
from deployer.ir.graph import Graph, Node
from deployer.ir.types import Layout, QuantParams
from deployer.numerics.integer import softmax_table
from deployer.numerics.requant import Multipliers
from deployer.quantize.elementwise import (
    add_multipliers,
    average_multipliers,
    identity_multipliers,
    rescale_multipliers,
)
from deployer.quantize.expectation import expected_inputs
from deployer.quantize.linear import solve_linear
from deployer.quantize.ranges import Interval
from deployer.quantize.scheme import Linear, Scheme, Tensor
from deployer.quantize.widen import Misfit, fit_output

INT8: Interval = (-128, 127)


@dataclass(frozen=True, eq=False)
class Constant:
    array: np.ndarray
    layout: Layout
    quant: QuantParams | None = None


@dataclass(frozen=True, eq=False)
class Task:
    """A node, what its inputs hold, and the output quantization calibration asks for.

    Operators that keep their input's quantization ignore ``wanted``. ``mean`` is the first input's
    mean per channel, None to leave the bias as it is.
    """

    graph: Graph
    node: Node
    inputs: tuple[Tensor, ...]
    wanted: QuantParams | None
    scheme: Scheme
    mean: np.ndarray | None = None

    @property
    def output(self) -> QuantParams:
        if self.wanted is None:
            raise ValueError(f"{self.node.name} has no range of its own")
        return self.wanted


@dataclass(frozen=True, eq=False)
class IntegerLayer:
    """``operands`` follow the activations among the node's inputs, keyed by their name's suffix.

    ``interval`` bounds the output's integers.
    """

    output: QuantParams
    interval: Interval
    operands: Mapping[str, Constant] = field(default_factory=dict)
    multipliers: Multipliers | None = None
    notes: tuple[str, ...] = ()


def convert(task: Task) -> IntegerLayer:
    """The integers of ``task``. Raises ModelError when its layer cannot be done in int32."""
    try:
        return _CONVERTERS[task.node.op](task)
    except Misfit as error:
        node = task.node
        raise ModelError(
            f"{node.op} {node.name} cannot be quantized to int8",
            why=[str(error)],
            hints=["check the layer's weights and the calibration samples for extreme values"],
        ) from None


def activation_bounds(clamp: Clamp, quant: QuantParams) -> Interval:
    """int8's range cut by a fused activation."""
    low = INT8[0] if clamp.low is None else _step(clamp.low, quant)
    high = INT8[1] if clamp.high is None else _step(clamp.high, quant)
    return low, high


def _step(real: float, quant: QuantParams) -> int:
    return int(np.clip(np.rint(real / quant.tensor_scale) + quant.zero_point, *INT8))


def _linear(task: Task) -> IntegerLayer:
    weights, bias = (task.graph.constants[name] for name in task.node.inputs[1:3])
    found = solve_linear(_linear_problem(task, weights, bias), task.scheme)
    layout = task.graph.values[task.node.inputs[1]].layout
    axis = weights.ndim - 1 if layout is Layout.HWC else 0
    products = found.scales * task.inputs[0].quant.tensor_scale
    return IntegerLayer(
        output=found.output,
        interval=activation_bounds(task.node.attrs.clamp, found.output),
        operands={
            "weight": Constant(
                weights_from_rows(found.rows, layout, weights.shape),
                layout,
                QuantParams(tuple(found.scales.tolist()), 0, axis),
            ),
            "bias": Constant(
                found.bias, Layout.VECTOR, QuantParams(tuple(products.tolist()), 0, 0)
            ),
        },
        multipliers=found.multipliers,
        notes=found.notes,
    )


def _linear_problem(task: Task, weights: np.ndarray, bias: np.ndarray) -> Linear:
    value = task.graph.values[task.node.inputs[1]]
    rows = weight_rows(weights, value.layout)
    # weights on a stated grid are not rounded, so there is no mean error to take out
    scales = None if value.quant is None else np.resize(value.quant.scale, len(rows))
    expected = np.zeros(1)
    if task.mean is not None and scales is None:
        expected = expected_inputs(task.graph, task.node, task.mean)
    return Linear(rows, bias.astype(np.float64), expected, task.inputs[0], task.output, scales)


def weight_rows(weights: np.ndarray, layout: Layout) -> np.ndarray:
    """Weights as (output channels, taps) float64."""
    rows = np.moveaxis(weights, -1, 0) if layout is Layout.HWC else weights
    return rows.reshape(len(rows), -1).astype(np.float64)


def weights_from_rows(rows: np.ndarray, layout: Layout, shape: tuple[int, ...]) -> np.ndarray:
    """The inverse of ``weight_rows``, in C order."""
    if layout is not Layout.HWC:
        return rows.reshape(shape)
    return np.ascontiguousarray(np.moveaxis(rows.reshape(shape[-1], *shape[:-1]), 0, -1))


def _add(task: Task) -> IntegerLayer:
    left, right = task.inputs
    return _fitted(task, lambda out: add_multipliers(left, right, out))


def _rescale(task: Task) -> IntegerLayer:
    return _fitted(task, lambda out: rescale_multipliers(task.inputs[0], out))


def _average_pool(task: Task) -> IntegerLayer:
    return _fitted(task, lambda out: average_multipliers(task.inputs[0], out, task.node.attrs))


def _fitted(task: Task, attempt: Callable[[QuantParams], Multipliers]) -> IntegerLayer:
    output, multipliers, notes = fit_output(task.output, attempt)
    return IntegerLayer(
        output=output,
        interval=activation_bounds(task.node.attrs.clamp, output),
        multipliers=multipliers,
        notes=notes,
    )


def _max_pool(task: Task) -> IntegerLayer:
    quant = task.inputs[0].quant
    return IntegerLayer(
        output=quant,
        interval=activation_bounds(task.node.attrs.clamp, quant),
        multipliers=identity_multipliers(),
    )


def _softmax(task: Task) -> IntegerLayer:
    table = softmax_table(task.inputs[0].quant.tensor_scale)
    quant = task.scheme.softmax
    return IntegerLayer(
        output=quant,
        interval=(quant.zero_point, INT8[1]),
        operands={"table": Constant(table, Layout.VECTOR)},
    )


def _moved(task: Task) -> IntegerLayer:
    return IntegerLayer(output=task.inputs[0].quant, interval=task.inputs[0].interval)


_CONVERTERS: dict[str, Callable[[Task], IntegerLayer]] = {
    "Conv2d": _linear,
    "DepthwiseConv2d": _linear,
    "FullyConnected": _linear,
    "Add": _add,
    "AveragePool": _average_pool,
    "MaxPool": _max_pool,
    "Rescale": _rescale,
    "Softmax": _softmax,
    "Reshape": _moved,
    "Transpose": _moved,
}
KEEPS_QUANTIZATION = frozenset({"MaxPool", "Reshape", "Transpose"})
OWN_RANGE = frozenset(_CONVERTERS) - KEEPS_QUANTIZATION - {"Softmax"}
