"""Weighted sums along an axis: the weights as int16 that add up to one."""

from __future__ import annotations

import numpy as np

from deployer.ir import Layout, QuantParams
from deployer.numerics import RESAMPLE_BITS
from deployer.quantize.task import Constant, IntegerLayer, Task


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
