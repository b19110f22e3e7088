"""Operators on single elements and pools: one range of their own, no weights but tables."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from deployer.ir import Layout, QuantParams, TableAttrs
from deployer.numerics import (
    dequantize,
    functions,
    gap_note,
    softmax_table,
    step_note,
    taps_inside,
)
from deployer.quantize.elementwise import (
    UPCAST_BITS,
    add_multipliers,
    average_multipliers,
    identity_multipliers,
    largest,
    mul_multipliers,
    plain_mean,
    prelu_multipliers,
    product_multipliers,
    rescale_multipliers,
    upcast_multipliers,
)
from deployer.quantize.float_rescale import rescaling_as_floats
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


def matmul(task: Task) -> IntegerLayer:
    (left, right), scale = task.inputs, task.node.attrs.scale
    depth = task.graph.values[task.node.first].shape[-1]
    step = left.quant.tensor_scale * right.quant.tensor_scale * scale
    bound = depth * largest(left.centred) * largest(right.centred)
    return fitted(task, lambda out: product_multipliers(step, bound, out, task.scheme))


def prelu(task: Task) -> IntegerLayer:
    slopes = task.graph.constants[task.node.inputs[1]].astype(np.float64)
    return fitted(task, lambda out: prelu_multipliers(task.inputs[0], out, slopes))


def rescale(task: Task) -> IntegerLayer:
    if task.inputs[0].quant.bits < task.output.bits:
        return _upcast(task)
    x = task.inputs[0]
    layer = fitted(task, lambda out: rescale_multipliers(x, out))
    return _as_floats(task, layer) if task.scheme.close else layer


def _as_floats(task: Task, layer: IntegerLayer) -> IntegerLayer:
    """The layer with the outputs of float32 arithmetic, as a Table where no multiplier has them."""
    x, found = task.inputs[0], layer.multipliers
    exact = found and rescaling_as_floats(found, x, layer.output)
    narrow = x.quant.bits == task.output.bits == 8
    if narrow and (exact is None or layer.output != task.output):
        return _tabled(task)
    return replace(layer, multipliers=exact or found)


def _tabled(task: Task) -> IntegerLayer:
    """A Rescale as the function that cuts off what lies beyond the output's ends."""
    ends = activation_bounds(task.node.attrs.clamp, task.output)
    low, high = (float(end) for end in dequantize(np.array(ends), task.output))
    node = replace(task.node, op="Table", attrs=TableAttrs("clip", low, high))
    return replace(table(replace(task, node=node)), node=node)


def _upcast(task: Task) -> IntegerLayer:
    """int8 to int16, exactly, whatever scale was wanted."""
    (low, high), quant = task.inputs[0].centred, task.inputs[0].quant
    scale = quant.tensor_scale / (1 << UPCAST_BITS)
    return IntegerLayer(
        output=QuantParams((scale,), bits=16),
        interval=(low << UPCAST_BITS, high << UPCAST_BITS),
        multipliers=upcast_multipliers(quant),
    )


def average_pool(task: Task) -> IntegerLayer:
    attrs, fewest = task.node.attrs, 1
    if _keeps_scale(task) and (task.scheme.mean_pools or _can_tie(task)):
        quant = task.inputs[0].quant
        bounds, even = activation_bounds(attrs.clamp, quant), not task.scheme.mean_pools
        means = plain_mean(attrs, even=quant.zero_point if even else None)
        return IntegerLayer(output=quant, interval=bounds, multipliers=means)
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


def _can_tie(task: Task) -> bool:
    """Whether the model rounds means at the scale of what they are of, and some lie on a half."""
    stated, window = task.graph.values[task.node.output].quant, task.node.attrs.window
    uneven = window.taps % 2 and not window.pads.any
    return task.scheme.close and stated is not None and not uneven


def bounded(task: Task) -> IntegerLayer:
    """Some of the integers of the input, within the bounds of a fused activation."""
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
    samples = dequantize(np.arange(source.interval[0], source.interval[1] + 1), source.quant)
    notes = gap_note(task.node.attrs, samples), step_note(task.node.attrs) if task.wide else ""
    return IntegerLayer(
        output=task.output,
        interval=(int(reached.min()), int(reached.max())),
        operands={"table": Constant(entries, Layout.VECTOR)},
        notes=tuple(filter(None, notes)),
    )
