"""Operators that keep a quantization, and those that bring their inputs to one. Weights along an
axis are int16 that add up to one."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from deployer.ir import Clamp, Layout, QuantParams
from deployer.numerics import RESAMPLE_BITS
from deployer.quantize.elementwise import concat_multipliers
from deployer.quantize.ranges import hull
from deployer.quantize.task import Constant, IntegerLayer, Task, activation_bounds, integer_of
from deployer.quantize.widen import fit_output


def moved(task: Task) -> IntegerLayer:
    return IntegerLayer(output=task.inputs[0].quant, interval=task.inputs[0].interval)


def pad(task: Task) -> IntegerLayer:
    layer = moved(task)
    fill = integer_of(task.node.attrs.value, layer.output)
    return replace(layer, interval=hull(layer.interval, fill))


def aligned(task: Task) -> IntegerLayer:
    """Each input at the scale of the output, by its own entry of the tables."""
    output, multipliers, notes = fit_output(
        task.output, lambda out: concat_multipliers(task.inputs, out, task.scheme.rules)
    )
    interval = activation_bounds(getattr(task.node.attrs, "clamp", Clamp()), output)
    if all(x.quant == output for x in task.inputs):
        bounds = np.clip([x.interval for x in task.inputs], *interval)
        interval = int(bounds.min()), int(bounds.max())
    return IntegerLayer(output, interval, multipliers=multipliers, notes=notes)


def resample(task: Task) -> IntegerLayer:
    """Where weights are negative, as cubic ones are, outputs may lie beyond the inputs."""
    weights, starts = (task.graph.constants[name] for name in task.node.inputs[1:3])
    (x,), step = task.inputs, 2.0**-RESAMPLE_BITS
    ends = x.interval if weights.min() >= 0 else (x.quant.low, x.quant.high)
    return IntegerLayer(
        output=x.quant,
        interval=ends,
        operands={
            "weights": Constant(_steps(weights), Layout.VECTOR, QuantParams((step,), bits=16)),
            "starts": Constant(starts.astype(np.int32), Layout.VECTOR),
        },
    )


def _steps(weights: np.ndarray) -> np.ndarray:
    """What is missing to one, or too much, is the largest weight's."""
    steps = np.floor(np.ldexp(weights.astype(np.float64), RESAMPLE_BITS) + 0.5).astype(np.int64)
    rows = np.arange(len(steps))
    steps[rows, steps.argmax(axis=1)] += (1 << RESAMPLE_BITS) - steps.sum(axis=1)
    return steps.astype(np.int16)
