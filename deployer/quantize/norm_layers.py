"""Normalizations: the scales as int16, the offsets as int32, in steps that are powers of two."""

from __future__ import annotations

import math

import numpy as np

from deployer.ir import Layout, QuantParams
from deployer.numerics import fraction_bits, norm_count
from deployer.quantize.elementwise import product_multipliers
from deployer.quantize.task import Constant, IntegerLayer, Task, fitted

# A normalized number has 16 bits: products and offsets stay below 2^29, from where every rule of
# requantization has integers.
_SCALE_MAX, _OFFSET_MAX, _NORMAL_MAX = (1 << 13) - 1, 1 << 28, 1 << 15
_MOST_BITS = 24  # of a scale: smaller ones than 2^-9 gain nothing from more


def norm(task: Task) -> IntegerLayer:
    """Raises Misfit (of ``fitted``) where no output scale has multipliers."""
    node = task.node
    scale, offset = (task.graph.constants[name].astype(np.float64) for name in node.inputs[1:3])
    fraction = fraction_bits(norm_count(node, task.graph.values[node.first].shape))
    bits = min(_bits(scale, _SCALE_MAX), _bits(offset, _OFFSET_MAX) - fraction, _MOST_BITS)
    scales = _steps(scale, bits)
    offsets = _steps(offset, bits + fraction)
    step = math.ldexp(1.0, -bits - fraction)
    bound = int((np.abs(scales) * _NORMAL_MAX + np.abs(offsets)).max())
    layer = fitted(task, lambda out: product_multipliers(step, bound, out, task.scheme))
    quants = (QuantParams((math.ldexp(1.0, -bits),), bits=16), QuantParams((step,)))
    operands = {
        "scale": Constant(scales.astype(np.int16), Layout.VECTOR, quants[0]),
        "offset": Constant(offsets.astype(np.int32), Layout.VECTOR, quants[1]),
    }
    return IntegerLayer(
        output=layer.output,
        interval=layer.interval,
        operands=operands,
        multipliers=layer.multipliers,
        notes=layer.notes,
    )


def _bits(numbers: np.ndarray, most: int) -> int:
    """Fraction bits with which the largest of ``numbers`` is at most ``most``."""
    largest = float(np.abs(numbers).max(initial=0.0))
    return math.floor(math.log2(most / largest)) if largest > 0 else _MOST_BITS + 31


def _steps(numbers: np.ndarray, bits: int) -> np.ndarray:
    rounded: np.ndarray = np.floor(np.ldexp(numbers, bits) + 0.5).astype(np.int64)
    return rounded
