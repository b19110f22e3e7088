"""Arithmetic of two operands."""

from __future__ import annotations

import numpy as np

from deployer.frontend.attributes import pixel_axis
from deployer.frontend.builder import Builder
from deployer.frontend.lowering.layers import affine
from deployer.frontend.net import Net, Op, along_axis
from deployer.frontend.operands import number_operand
from deployer.ir import Clamp, PointAttrs


def arithmetic(b: Builder, op: Op) -> None:
    """Add, Sub, Mul and Div of two activations, or of one and a constant."""
    if len(b.net.activations(op)) == 1:
        _with_constant(b, op)
    elif op.type == "Mul":
        _multiply(b, op)
    else:
        b.pointwise(op, op.type, op.inputs, PointAttrs())


def _multiply(b: Builder, op: Op) -> None:
    """The factor that is one pixel stands second."""
    big, small = sorted(op.inputs, key=lambda name: -int(np.prod(b.net.shapes[name])))
    shapes = b.net.shapes[big], b.net.shapes[small]
    if shapes[0] == shapes[1]:
        b.pointwise(op, "Mul", op.inputs, PointAttrs())
        return
    axis = pixel_axis(*shapes)
    assert axis is not None
    b.along(op, "Mul", [big, small], PointAttrs(), axis=axis)


def _with_constant(b: Builder, op: Op) -> None:
    """Scale and offset per channel."""
    (x,) = b.net.activations(op)
    constant = next(b.net.constants[name] for name in op.inputs if name != x)
    found = along_axis(constant, b.net.shapes[x])
    assert found is not None
    axis, numbers = found
    one, zero = np.ones_like(numbers), np.zeros_like(numbers)
    scale, offset = one, numbers
    if op.type == "Sub":
        scale, offset = (-one, numbers) if op.input(1) == x else (one, -numbers)
    elif op.type in ("Mul", "Div"):
        scale, offset = numbers if op.type == "Mul" else 1 / numbers, zero
    affine(b, op, x, axis, (scale, offset))


def number_or_pair(net: Net, op: Op) -> str:
    """two activations of one shape, or one activation and one constant number

    Try: several Max in a row, the smaller operand expanded before the export
    """
    if len(op.inputs) != 2 or len(net.activations(op)) != 2:
        return number_operand(net, op)
    left, right = (net.shapes[name] for name in op.inputs)
    return "" if left == right else f"shapes {list(left)} and {list(right)}"


def maximum(b: Builder, op: Op) -> None:
    """Max of two activations, or of one and a number."""
    if len(b.net.activations(op)) == 1:
        extreme(b, op)
    else:
        b.pointwise(op, "Maximum", op.inputs, PointAttrs())


def extreme(b: Builder, op: Op) -> None:
    """Max and Min of an activation and a number."""
    (x,) = b.net.activations(op)
    number = next((float(b.net.constants[n].item()) for n in op.inputs if n != x), None)
    clamp = Clamp(number, None) if op.type == "Max" else Clamp(None, number)
    b.pointwise(op, "Rescale", [x], PointAttrs(clamp))
