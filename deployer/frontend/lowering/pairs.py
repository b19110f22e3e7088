"""Arithmetic of two operands, whose shapes are broadcast as numpy has it."""

from __future__ import annotations

import math

import numpy as np

from deployer.frontend.attributes import pixel_axis
from deployer.frontend.builder import Builder
from deployer.frontend.lowering.broadcast import affine_over, constant, expanded
from deployer.frontend.lowering.layers import affine
from deployer.frontend.net import Op, along_axis
from deployer.ir import Clamp, PointAttrs


def arithmetic(b: Builder, op: Op) -> None:
    """Add, Sub, Mul of two activations, or these and Div of one and a constant."""
    if len(b.net.activations(op)) == 1:
        _with_constant(b, op)
    elif op.type == "Mul":
        _multiply(b, op)
    else:
        _pair(b, op, op.type, [expanded(b, op, name) for name in op.inputs])


def _pair(b: Builder, op: Op, kind: str, inputs: list[str], clamp: Clamp | None = None) -> None:
    """A node for operands of the output's shape; more axes than 4 are joined."""
    many = len(b.net.shapes[op.output]) > 4
    (b.layer if many else b.emit)(op, kind, inputs, PointAttrs(clamp or Clamp()))


def _multiply(b: Builder, op: Op) -> None:
    """The factor that is one pixel stands second."""
    big, small = sorted(op.inputs, key=lambda name: -math.prod(b.net.shapes[name]))
    shapes = b.net.shapes[big], b.net.shapes[small]
    axis = None if shapes[0] == shapes[1] else pixel_axis(*shapes)
    if axis is None:
        _pair(b, op, "Mul", [expanded(b, op, name) for name in op.inputs])
    else:
        b.along(op, "Mul", [big, small], PointAttrs(), axis=axis)


def _with_constant(b: Builder, op: Op) -> None:
    """Scale and offset, per channel where the constant lies along one axis."""
    (x,) = b.net.activations(op)
    numbers = next(b.net.constants[name] for name in op.inputs if name != x).astype(np.float64)
    shape = b.net.shapes[x]
    found = along_axis(numbers, shape) if shape == b.net.shapes[op.output] else None
    if found is None:
        affine_over(b, op, expanded(b, op, x), _scale_and_offset(op, x, numbers))
    else:
        affine(b, op, x, found[0], _scale_and_offset(op, x, found[1]))


def _scale_and_offset(op: Op, x: str, numbers: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    one, zero = np.ones_like(numbers), np.zeros_like(numbers)
    if op.type == "Sub":
        return (-one, numbers) if op.input(1) == x else (one, -numbers)
    if op.type in ("Mul", "Div"):
        return (numbers if op.type == "Mul" else 1 / numbers), zero
    return one, numbers


def maximum(b: Builder, op: Op) -> None:
    """Max of two activations, or of one and a constant."""
    constants = [name for name in op.inputs if name in b.net.constants]
    if any(b.net.constants[name].size == 1 for name in constants) or len(op.inputs) == 1:
        extreme(b, op)
        return
    _pair(b, op, "Maximum", [_operand(b, op, name) for name in op.inputs])


def _operand(b: Builder, op: Op, name: str) -> str:
    if name not in b.net.constants:
        return expanded(b, op, name)
    (source,) = b.net.activations(op)
    target = np.broadcast_to(b.net.constants[name], b.net.shapes[op.output])
    return constant(b, op, target, source)


def extreme(b: Builder, op: Op) -> None:
    """Max and Min of an activation and a number."""
    (x,) = b.net.activations(op)
    number = next((float(b.net.constants[n].item()) for n in op.inputs if n != x), None)
    clamp = Clamp(number, None) if op.type == "Max" else Clamp(None, number)
    _pair(b, op, "Rescale", [expanded(b, op, x)], clamp)
