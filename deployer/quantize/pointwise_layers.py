"""Operators on single elements and pools: one range of their own, no weights but tables."""

from __future__ import annotations

import numpy as np

from deployer.ir.types import Layout, QuantParams
from deployer.numerics import functions
from deployer.numerics.integer import softmax_table
from deployer.numerics.windows import taps_inside
from deployer.quantize.elementwise import (
    UPCAST,
    add_multipliers,
    average_multipliers,
    identity_multipliers,
    mul_multipliers,
    plain_mean,
    prelu_multipliers,
    rescale_multipliers,
    upcast_multipliers,
)
from deployer.quantize.task import Constant, IntegerLayer, Task, activation_bounds, fitted


def add(task: Task) -> IntegerLayer:
    return _sum(task, 1)


def sub(task: Task) -> IntegerLayer:
    return _sum(task, -1)


def _sum(task: Task, sign: int) -> IntegerLayer:
    left, right = task.inputs
    close = task.scheme.close
    return fitted(task, lambda out: add_multipliers(left, right, out, sign=sign, close=close))


def mul(task: Task) -> IntegerLayer:
    left, right = task.inputs
    return fitted(task, lambda out: mul_multipliers(left, right, out, task.scheme))


def prelu(task: Task) -> IntegerLayer:
    slopes = task.graph.constants[task.node.inputs[1]].astype(np.float64)
    return fitted(task, lambda out: prelu_multipliers(task.inputs[0], out, slopes))


def rescale(task: Task) -> IntegerLayer:
    if task.inputs[0].quant.bits < task.output.bits:
        return _upcast(task)
    x, close = task.inputs[0], task.scheme.close
    return fitted(task, lambda out: rescale_multipliers(x, out, close=close))


def _upcast(task: Task) -> IntegerLayer:
    """int8 to int16, exactly, whatever scale was wanted."""
    (low, high), quant = task.inputs[0].centred, task.inputs[0].quant
    scale = quant.tensor_scale / (1 << UPCAST)
    return IntegerLayer(
        output=QuantParams((scale,), bits=16),
        interval=(low << UPCAST, high << UPCAST),
        multipliers=upcast_multipliers(quant),
    )


def average_pool(task: Task) -> IntegerLayer:
    attrs, fewest = task.node.attrs, 1
    if task.scheme.mean_pools and _keeps_scale(task):
        quant = task.inputs[0].quant
        bounds = activation_bounds(attrs.clamp, quant)
        return IntegerLayer(output=quant, interval=bounds, multipliers=plain_mean(attrs))
    if task.wide:  # q16 has no multiplier of 1/2 or more, as few taps may need
        _, height, width, _ = task.graph.values[task.node.inputs[0]].shape
        fewest = int(taps_inside(attrs.window, height, width).min())
    x = task.inputs[0]
    return fitted(task, lambda out: average_multipliers(x, out, attrs, fewest=fewest))


def _keeps_scale(task: Task) -> bool:
    """Whether an AveragePool can do without a scale of its own: int8, padding does not count as
    zeros, and the model states no other."""
    attrs, stated = task.node.attrs, task.graph.values[task.node.output].quant
    zeros = attrs.count_include_pad and attrs.window.pads.any
    return not (task.wide or zeros) and stated in (None, task.inputs[0].quant)


def max_pool(task: Task) -> IntegerLayer:
    quant = task.inputs[0].quant
    return IntegerLayer(
        output=quant,
        interval=activation_bounds(task.node.attrs.clamp, quant),
        multipliers=identity_multipliers(),
    )


def softmax(task: Task) -> IntegerLayer:
    table = softmax_table(task.inputs[0].quant.tensor_scale)
    quant = task.scheme.unit if task.wanted is None else task.wanted
    return IntegerLayer(
        output=quant,
        interval=(quant.zero_point, quant.high),
        operands={"table": Constant(table, Layout.VECTOR)},
    )


def table(task: Task) -> IntegerLayer:
    """256 outputs, or 513 between which int16 interpolates; the interval is what the integers that
    can occur map to."""
    source = task.inputs[0]
    entries = functions.table(task.node.attrs, source.quant, task.output)
    low, high = (bound - source.quant.low for bound in source.interval)
    reached = entries[low >> 7 : (high >> 7) + 2] if task.wide else entries[low : high + 1]
    return IntegerLayer(
        output=task.output,
        interval=(int(reached.min()), int(reached.max())),
        operands={"table": Constant(entries, Layout.VECTOR)},
    )
