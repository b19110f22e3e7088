"""Operators that move elements or interpolate between them."""

from __future__ import annotations

import torch
from torch.nn import functional

from deployer.ir import ResizeMode
from deployer.numerics import axis_taps, quantize, weight_bits
from deployer.tools.train.layer import Inputs, Layer
from deployer.tools.train.straight_through import through


def reshape(layer: Layer, inputs: Inputs) -> torch.Tensor:
    (x,) = inputs
    return x.reshape(len(x), *layer.attrs.shape[1:])


def transpose(layer: Layer, inputs: Inputs) -> torch.Tensor:
    (x,) = inputs
    return x.permute(layer.attrs.perm)


def crop(layer: Layer, inputs: Inputs) -> torch.Tensor:
    ranges = zip(layer.attrs.begin[1:], layer.attrs.end[1:], strict=True)
    (x,) = inputs
    return x[(slice(None), *(slice(begin, end) for begin, end in ranges))]


def pad(layer: Layer, inputs: Inputs) -> torch.Tensor:
    fill = float(quantize(layer.attrs.value, layer.target))
    widths = zip(reversed(layer.attrs.before), reversed(layer.attrs.after), strict=True)
    flat = [width for pair in widths for width in pair]
    (x,) = inputs
    return functional.pad(x, flat, value=fill)


def resize(layer: Layer, inputs: Inputs) -> torch.Tensor:
    (x,), attrs = inputs, layer.attrs
    if attrs.mode == ResizeMode.NEAREST:
        for axis, factor, start in zip((1, 2), attrs.factors, attrs.start, strict=True):
            copies = torch.arange(x.shape[axis] * factor, device=x.device) + start
            inputs = copies.div(factor, rounding_mode="floor").clamp(0, x.shape[axis] - 1)
            x = x.index_select(axis, inputs)
        return x
    for axis, factor in zip((1, 2), attrs.factors, strict=True):
        first, second, weight = (
            torch.as_tensor(part, device=x.device)
            for part in axis_taps(x.shape[axis], factor, attrs.half_pixel)
        )
        w = weight.reshape([-1 if a == axis else 1 for a in range(4)]).float()
        x = x.index_select(axis, first) * (2 * factor - w) + x.index_select(axis, second) * w
    soft = x / (1 << weight_bits(attrs))
    return through(soft, (soft.detach() + 0.5).floor())


def depth_to_space(layer: Layer, inputs: Inputs) -> torch.Tensor:
    (x,), attrs = inputs, layer.attrs
    (batch, tall, wide, channels), block = x.shape, attrs.block
    out = channels // block**2
    if attrs.column_first:
        parts = x.reshape(batch, tall, wide, out, block, block).permute(0, 1, 4, 2, 5, 3)
    else:
        parts = x.reshape(batch, tall, wide, block, block, out).permute(0, 1, 3, 2, 4, 5)
    return parts.reshape(batch, tall * block, wide * block, out)


def space_to_depth(layer: Layer, inputs: Inputs) -> torch.Tensor:
    (x,), attrs = inputs, layer.attrs
    (batch, tall, wide, channels), block = x.shape, attrs.block
    parts = x.reshape(batch, tall // block, block, wide // block, block, channels)
    moved = parts.permute((0, 1, 3, 5, 2, 4) if attrs.column_first else (0, 1, 3, 2, 4, 5))
    return moved.reshape(batch, tall // block, wide // block, channels * block**2)
