"""Operators that keep a quantization, and those that bring their inputs to one."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from deployer.ir import Clamp
from deployer.quantize.elementwise import concat_multipliers
from deployer.quantize.ranges import hull
from deployer.quantize.task import IntegerLayer, Task, activation_bounds, integer_of
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
