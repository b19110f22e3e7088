"""Operators with weights: convolutions, transposed ones, dense layers."""

from __future__ import annotations

import numpy as np

from deployer.ir import ConvTransposeAttrs, Layout, QuantParams
from deployer.quantize.expectation import expected_inputs
from deployer.quantize.linear import solve_linear
from deployer.quantize.rounding import Round, as_stated, nearest
from deployer.quantize.scheme import Linear
from deployer.quantize.task import Constant, IntegerLayer, Task, activation_bounds


def linear(task: Task) -> IntegerLayer:
    weights = task.graph.constants[task.node.inputs[1]]
    found = solve_linear(_problem(task), task.scheme)
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


def _problem(task: Task) -> Linear:
    weights, bias = (task.graph.constants[name] for name in task.node.inputs[1:3])
    value = task.graph.values[task.node.inputs[1]]
    rows = weight_rows(weights, value.layout)
    # weights on a stated grid are not rounded, so there is no mean error to take out
    scales = None if value.quant is None else np.resize(value.quant.scale, len(rows))
    expected = np.zeros(1)
    if task.mean is not None and scales is None:
        expected = expected_inputs(task.graph, task.node, task.mean)
    return Linear(
        rows=rows,
        bias=bias.astype(np.float64),
        expected=expected,
        x=task.inputs[0],
        output=task.output,
        phases=tap_phases(task.node.attrs, weights.shape)
        if task.node.op == "ConvTranspose2d"
        else None,
        scales=scales,
        round=_round_of(task, stated=scales is not None),
    )


def _round_of(task: Task, *, stated: bool) -> Round:
    if stated:
        return as_stated
    return task.round if task.wide else nearest


def tap_phases(attrs: ConvTransposeAttrs, shape: tuple[int, ...]) -> np.ndarray:
    """Which taps of a row of weights (OHWI) meet in one output of a transposed convolution.

    Output o meets tap k of input i where o + pad = i·stride + k·dilation: one residue of k·dilation
    modulo the stride, per axis.
    """
    window = attrs.window
    tall, wide = (
        np.arange(k) * d % s
        for k, d, s in zip(window.kernel, window.dilation, window.stride, strict=True)
    )
    by_tap = tall[:, None] * window.stride[1] + wide
    return np.repeat(by_tap.ravel(), shape[3])


def weight_rows(weights: np.ndarray, layout: Layout) -> np.ndarray:
    """Weights as (output channels, taps) float64."""
    rows = np.moveaxis(weights, -1, 0) if layout is Layout.HWC else weights
    return rows.reshape(len(rows), -1).astype(np.float64)


def weights_from_rows(rows: np.ndarray, layout: Layout, shape: tuple[int, ...]) -> np.ndarray:
    """The inverse of ``weight_rows``, in C order."""
    if layout is not Layout.HWC:
        return rows.reshape(shape)
    return np.ascontiguousarray(np.moveaxis(rows.reshape(shape[-1], *shape[:-1]), 0, -1))
