"""Slow definitions of further operators: one sample as HWC, plain integers and fractions."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

import numpy as np

from deployer.ir.attrs import BlockAttrs, ConvTransposeAttrs, ResizeAttrs


def transposed(
    x: np.ndarray, weights: np.ndarray, attrs: ConvTransposeAttrs, zero: int
) -> np.ndarray:
    """int64 sums, each product added where it belongs; what falls outside the output is lost."""
    window, (out, _, _, depth) = attrs.window, weights.shape
    result = np.zeros((*attrs.output, out), dtype=np.int64)
    real = x.astype(np.int64) - zero
    for y, x_, ky, kx in product(*map(range, (*x.shape[:2], *window.kernel))):
        row = y * window.stride[0] + ky * window.dilation[0] - window.pads.top
        column = x_ * window.stride[1] + kx * window.dilation[1] - window.pads.left
        if not (0 <= row < attrs.output[0] and 0 <= column < attrs.output[1]):
            continue
        for o in range(out):
            first = o * attrs.groups // out * depth
            products = real[y, x_, first : first + depth] * weights[o, ky, kx]
            result[row, column, o] += products.sum()
    return result


def linear(x: np.ndarray, attrs: ResizeAttrs) -> list[Fraction]:
    """Every element of the enlarged sample, exactly."""
    height, width, channels = x.shape
    rows = [_between(o, attrs.factors[0], height, attrs.half_pixel) for o in _outputs(attrs, x, 0)]
    columns = [
        _between(o, attrs.factors[1], width, attrs.half_pixel) for o in _outputs(attrs, x, 1)
    ]
    return [
        sum(wy * wx * int(x[y, x_, c]) for y, wy in row for x_, wx in column)
        for row, column, c in product(rows, columns, range(channels))
    ]


def _outputs(attrs: ResizeAttrs, x: np.ndarray, axis: int) -> range:
    return range(x.shape[axis] * attrs.factors[axis])


def _between(output: int, factor: int, extent: int, half_pixel: bool) -> list[tuple[int, Fraction]]:
    """The two inputs an output position lies between, and their weights."""
    half = Fraction(1, 2) if half_pixel else Fraction(0)
    place = min(max((output + half) / factor - half, Fraction(0)), Fraction(extent - 1))
    first = place.numerator // place.denominator
    return [(first, 1 - (place - first)), (min(first + 1, extent - 1), place - first)]


def to_space(x: np.ndarray, attrs: BlockAttrs) -> np.ndarray:
    height, width, channels = x.shape
    block, out = attrs.block, channels // attrs.block**2
    result = np.empty((height * block, width * block, out), dtype=x.dtype)
    for y, x_, i, j, c in product(*map(range, (height, width, block, block, out))):
        place = c * block**2 + i * block + j if attrs.column_first else (i * block + j) * out + c
        result[y * block + i, x_ * block + j, c] = x[y, x_, place]
    return result
