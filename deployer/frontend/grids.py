"""Quantized constants: their values, and the grid those lie on.

A grid is the scale beside every element of a constant, an array of its shape. What moves the
constant's elements moves the grid's alike, so that layers find their scales whatever the layout
the exporter chose.
"""

from __future__ import annotations

import numpy as np

from deployer.frontend.net import Net, Op
from deployer.frontend.quantized import INT8, QUANTIZE, element_of, parameters

MOVES = frozenset({"Flatten", "Identity", "Reshape", "Squeeze", "Transpose", "Unsqueeze"})
_RANGE = {True: (-128, 127), False: (0, 255)}  # by whether the integers are signed


def evaluate(net: Net, op: Op) -> np.ndarray:
    """The output of a checked QuantizeLinear or DequantizeLinear of a constant."""
    source = net.constants[op.first]
    scales, zeros = (_along(net, op, numbers) for numbers in parameters(net, op))
    if op.type == QUANTIZE:  # in float32, as activations are
        signed = element_of(net, op) == INT8
        steps = np.rint(source.astype(np.float32) / scales.astype(np.float32)) + zeros
        low, high = _RANGE[signed]
        integers: np.ndarray = np.clip(steps, low, high).astype(np.int8 if signed else np.uint8)
        return integers
    real: np.ndarray = ((source.astype(np.int64) - zeros) * scales).astype(np.float32)
    return real


def grid(net: Net, op: Op) -> np.ndarray:
    """That of what a DequantizeLinear of a constant gives; takes no memory."""
    scales, _ = parameters(net, op)
    return np.broadcast_to(_along(net, op, scales), net.shapes[op.first])


def _along(net: Net, op: Op, numbers: np.ndarray) -> np.ndarray:
    """One number, or one per element of the op's axis, to broadcast against its data."""
    if numbers.size == 1:
        return numbers.reshape(())
    rank, axis = len(net.shapes[op.first]), int(op.attrs.get("axis", 1))
    return numbers.reshape([-1 if i == axis % rank else 1 for i in range(rank)])


def channel_scales(rows: np.ndarray, grid_rows: np.ndarray) -> tuple[np.ndarray | None, float]:
    """The scale of each row of weights, which are some, if they can stay what they are; else None.

    That needs one scale a row and integers within int8 counted from zero. The second number is how
    far, in steps of the grid, a weight moves when the row gets a symmetric grid of its own.
    """
    scales = grid_rows[:, 0]
    steps = rows / grid_rows
    whole = bool(np.all(grid_rows == scales[:, None]))
    if whole and bool(np.all((steps > -128.5) & (steps < 127.5))):
        return scales, 0.0
    own = np.maximum(np.abs(rows).max(axis=1, keepdims=True), 1e-30) / 127
    moved = np.abs(np.rint(rows / own) * own - rows) / grid_rows
    return None, float(moved.max())
