"""Linear magnification by powers of two, in exact fractions of 1 / (2·factor) per axis."""

from __future__ import annotations

import numpy as np

from deployer.ir import ResizeAttrs


def axis_taps(extent: int, factor: int, half_pixel: bool) -> tuple[np.ndarray, ...]:
    """Per output position: indices of the two inputs and the second one's weight over 2·factor."""
    outputs = np.arange(extent * factor)
    position = 2 * outputs + 1 - factor if half_pixel else 2 * outputs
    first, weight = np.divmod(position, 2 * factor)
    last = extent - 1
    return np.clip(first, 0, last), np.clip(first + 1, 0, last), weight


def weighted_sum(x: np.ndarray, attrs: ResizeAttrs) -> np.ndarray:
    """NHWC sums of four neighbours; the weights of each add up to 4·factor·factor."""
    for axis, factor in zip((1, 2), attrs.factors, strict=True):
        first, second, weight = axis_taps(x.shape[axis], factor, attrs.half_pixel)
        w = weight.reshape([-1 if a == axis else 1 for a in range(4)]).astype(x.dtype)
        x = x.take(first, axis) * (2 * factor - w) + x.take(second, axis) * w
    return x


def weight_bits(attrs: ResizeAttrs) -> int:
    """log2 of what the weights add up to."""
    return sum((2 * factor).bit_length() - 1 for factor in attrs.factors)
