"""The weights of a layer, with the scales that a quantized model states for them."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from deployer.frontend.builder import Builder
from deployer.frontend.grids import channel_scales
from deployer.frontend.net import Op, real
from deployer.ir import Layout, QuantParams

Permute = Callable[[np.ndarray], np.ndarray]


def add_weights(
    b: Builder,
    op: Op,
    layout: Layout,
    permute: Permute,
    *,
    factor: float = 1.0,
    index: int = 1,
) -> tuple[str, int]:
    """An input of ``op``, permuted to ``layout`` and multiplied; its name and its number of output
    channels."""
    name = op.input(index)
    array, grid = permute(b.net.constants[name]), b.net.grids.get(name)
    axis = array.ndim - 1 if layout is Layout.HWC else 0
    if factor != 1.0:
        array = array * np.float32(factor)
    quant = None if grid is None else _stated(b, op, array, permute(grid) * abs(factor), axis)
    return b.weight(op, "weights", array, layout, quant=quant), array.shape[axis]


def add_bias(b: Builder, op: Op, channels: int, factor: float = 1.0) -> str:
    """The third input of ``op`` or zeros, a number for each output channel."""
    given = b.net.constant(op, 2)
    bias = np.zeros(channels) if given is None else given.reshape(-1).astype(np.float64) * factor
    return b.weight(op, "bias", np.broadcast_to(bias, (channels,)), Layout.VECTOR)


def _stated(
    b: Builder, op: Op, array: np.ndarray, grid: np.ndarray, axis: int
) -> QuantParams | None:
    rows, steps = (
        np.moveaxis(numbers, axis, 0).reshape(numbers.shape[axis], -1)
        for numbers in (real(array).astype(np.float64), grid)
    )
    if not rows.size:
        return None
    scales, moved = channel_scales(rows, steps)
    if scales is None:
        b.notes.append(
            f"{op.name}: weights with a zero point, or scales along another axis than the outputs, "
            f"are quantized again, symmetric; they move by up to {moved:.2f} of the model's steps"
        )
        return None
    return QuantParams(tuple(scales.tolist()), 0, axis)
