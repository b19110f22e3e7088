"""Operators that only move elements: the same for float and integer batches."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from deployer.ir import BlockAttrs, PadAttrs, ResizeAttrs, SliceAttrs


def concat(parts: Sequence[np.ndarray], axis: int) -> np.ndarray:
    return np.concatenate(parts, axis=axis)


def crop(x: np.ndarray, attrs: SliceAttrs) -> np.ndarray:
    """Every sample's elements from begin to end; the batch axis is left alone."""
    ranges = zip(attrs.begin[1:], attrs.end[1:], strict=True)
    return x[(slice(None), *(slice(begin, end) for begin, end in ranges))]


def pad(x: np.ndarray, attrs: PadAttrs, fill: float) -> np.ndarray:
    return np.pad(x, tuple(zip(attrs.before, attrs.after, strict=True)), constant_values=fill)


def enlarge(x: np.ndarray, attrs: ResizeAttrs) -> np.ndarray:
    """Nearest: output o reads input (o + start) // factor, of those that there are."""
    rows, columns = (
        nearest(extent, factor, np.arange(extent * factor) + start)
        for extent, factor, start in zip(x.shape[1:3], attrs.factors, attrs.start, strict=True)
    )
    return x.take(rows, axis=1).take(columns, axis=2)


def nearest(extent: int, factor: int, copies: np.ndarray) -> np.ndarray:
    """The inputs, of ``extent`` along an axis, whose copies lie at positions ``copies``."""
    inputs: np.ndarray = np.clip(copies // factor, 0, extent - 1)
    return inputs


def depth_to_space(x: np.ndarray, attrs: BlockAttrs) -> np.ndarray:
    (batch, height, width, channels), block = x.shape, attrs.block
    out = channels // block**2
    if attrs.column_first:
        parts = x.reshape(batch, height, width, out, block, block).transpose(0, 1, 4, 2, 5, 3)
    else:
        parts = x.reshape(batch, height, width, block, block, out).transpose(0, 1, 3, 2, 4, 5)
    return parts.reshape(batch, height * block, width * block, out)


def space_to_depth(x: np.ndarray, attrs: BlockAttrs) -> np.ndarray:
    """The way back of ``depth_to_space`` of the same attributes."""
    (batch, height, width, channels), block = x.shape, attrs.block
    parts = x.reshape(batch, height // block, block, width // block, block, channels)
    order = (0, 1, 3, 5, 2, 4) if attrs.column_first else (0, 1, 3, 2, 4, 5)
    moved = parts.transpose(order)
    return moved.reshape(batch, height // block, width // block, channels * block**2)
