"""Slow definitions in plain Python integers, written from docs/arithmetic.md alone."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from itertools import product
from math import floor

import numpy as np

from deployer.ir.attrs import Window
from deployer.ir.ops import window_output

INT32 = range(-(2**31), 2**31)


def requantize(acc: int, rule: str, m: int, r: int, s: int, *, low: int, high: int) -> int:
    """One accumulator; AssertionError when a value on the way leaves int32."""
    scaled = {"i32": acc * m, "q16": (acc * m) >> 16}.get(rule, acc)
    assert acc in INT32
    assert scaled in INT32
    assert scaled + r in INT32
    if rule == "mean":
        result = int(abs(Fraction(acc, m)) + Fraction(1, 2)) * (1 if acc > 0 else -1)
    elif rule == "mean_even":
        result = r + round(Fraction(acc - m * r, m))
    elif rule in ("q32", "q31"):
        result = floor(Fraction(acc * m, 2 ** (32 if rule == "q32" else s)) + Fraction(1, 2)) + r
    else:
        result = (scaled + r) >> s
    assert result in INT32
    return min(max(result, low), high)


def taps(window: Window, height: int, width: int) -> Iterator[tuple[tuple[int, int], ...]]:
    """For each output pixel, row by row: the input pixel (y, x) of every tap, in or out."""
    tall, wide = window_output(window, height, width)
    kernel = list(product(range(window.kernel[0]), range(window.kernel[1])))
    for oy, ox in product(range(tall), range(wide)):
        yield tuple(
            (
                oy * window.stride[0] + ky * window.dilation[0] - window.pads.top,
                ox * window.stride[1] + kx * window.dilation[1] - window.pads.left,
            )
            for ky, kx in kernel
        )


def convolution(
    x: np.ndarray, weights: np.ndarray, window: Window, *, groups: int, fill: int
) -> np.ndarray:
    """int64 sums of one HWC image with OHWI weights."""
    height, width, _ = x.shape
    out, _, _, depth = weights.shape
    rows = []
    for places in taps(window, height, width):
        pixels = [pixel(x, y, x_, fill) for y, x_ in places]
        flat = weights.reshape(out, len(places), depth).astype(np.int64)
        rows.append([_channel(pixels, flat[o], o * groups // out * depth) for o in range(out)])
    return np.array(rows).reshape(*window_output(window, height, width), out)


def pixel(x: np.ndarray, row: int, column: int, fill: int) -> np.ndarray:
    """The channels at a place of an HWC image, ``fill`` outside."""
    inside = 0 <= row < x.shape[0] and 0 <= column < x.shape[1]
    return x[row, column].astype(np.int64) if inside else np.full(x.shape[2], fill)


def _channel(pixels: list[np.ndarray], weights: np.ndarray, first: int) -> int:
    depth = weights.shape[1]
    return sum(int(p[first : first + depth] @ w) for p, w in zip(pixels, weights, strict=True))
