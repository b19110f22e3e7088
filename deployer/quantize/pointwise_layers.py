"""Operators on single elements and pools: one range of their own, no weights but tables."""

from __future__ import annotations

import numpy as np

from deployer.ir.types import Layout
from deployer.numerics import functions
from deployer.numerics.integer import softmax_table
from deployer.quantize.elementwise import (
    add_multipliers,
    average_multipliers,
    identity_multipliers,
    mul_multipliers,
    prelu_multipliers,
    rescale_multipliers,
)
from deployer.quantize.task import INT8, Constant, IntegerLayer, Task, activation_bounds, fitted


def add(task: Task) -> IntegerLayer:
    left, right = task.inputs
    return fitted(task, lambda out: add_multipliers(left, right, out))


def sub(task: Task) -> IntegerLayer:
    left, right = task.inputs
    return fitted(task, lambda out: add_multipliers(left, right, out, sign=-1))


def mul(task: Task) -> IntegerLayer:
    left, right = task.inputs
    return fitted(task, lambda out: mul_multipliers(left, right, out, task.scheme.rules))


def prelu(task: Task) -> IntegerLayer:
    slopes = task.graph.constants[task.node.inputs[1]].astype(np.float64)
    return fitted(task, lambda out: prelu_multipliers(task.inputs[0], out, slopes))


def rescale(task: Task) -> IntegerLayer:
    return fitted(task, lambda out: rescale_multipliers(task.inputs[0], out))


def average_pool(task: Task) -> IntegerLayer:
    return fitted(task, lambda out: average_multipliers(task.inputs[0], out, task.node.attrs))


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
        interval=(quant.zero_point, INT8[1]),
        operands={"table": Constant(table, Layout.VECTOR)},
    )


def table(task: Task) -> IntegerLayer:
    """256 outputs; the interval is what the integers that can occur map to."""
    entries = functions.table(task.node.attrs, task.inputs[0].quant, task.output)
    low, high = task.inputs[0].interval
    reached = entries[low + 128 : high + 129]
    return IntegerLayer(
        output=task.output,
        interval=(int(reached.min()), int(reached.max())),
        operands={"table": Constant(entries, Layout.VECTOR)},
    )
