"""Convolution and pooling sums over NHWC batches, in whatever number type the caller hands in.

Blocks of samples are worked on one at a time: the copies stay in the cache, and the memory needed
does not grow with the batch.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from deployer.ir import Window, window_output
from deployer.numerics.windows import tap_rows, taps

_BLOCK_ELEMENTS = 1 << 18
_BAND_ELEMENTS = 1 << 25
# OpenBLAS starts threads above this many multiplications a product. Layers of small networks gain
# nothing from them and wait for them long when other work holds the cores.
_UNTHREADED_PRODUCTS = 1 << 18
_MIN_ROWS = 4
_MAX_TAPS = 1 << 14  # to go over one after the other


def convolve(
    x: np.ndarray, weights: np.ndarray, window: Window, *, groups: int, fill: float
) -> np.ndarray:
    """Sums of products, no bias: x NHWC and weights OHWI of one float type to NHWC."""
    out, (tall, wide) = weights.shape[0], window_output(window, x.shape[1], x.shape[2])
    result = np.empty((len(x), tall, wide, out), dtype=x.dtype)
    kernels = [part.reshape(len(part), -1).T for part in np.split(weights, groups)]
    share, per_group = x.shape[3] // groups, out // groups
    for block in blocks(len(x), tall * wide * kernels[0].shape[0]):
        for g, kernel in enumerate(kernels):
            patches = taps(x[block, :, :, g * share : (g + 1) * share], window, fill)
            columns = slice(g * per_group, (g + 1) * per_group)
            for band in bands(tall, wide * len(kernel)):
                part = patches[:, band].transpose(0, 1, 2, 4, 5, 3)
                rows = part.reshape(-1, len(kernel))
                result[block, band, :, columns] = product(rows, kernel).reshape(*part.shape[:3], -1)
    return result


def bands(tall: int, elements: int) -> Iterator[slice]:
    """Slices over the rows of a sample of ``elements`` a row: one, unless the copy of their windows
    were far larger than an activation may be."""
    step = max(1, _BAND_ELEMENTS // max(elements, 1))
    return (slice(start, min(start + step, tall)) for start in range(0, tall, step))


def product(rows: np.ndarray, kernel: np.ndarray) -> np.ndarray:
    """``rows @ kernel``, in pieces that BLAS computes on the calling thread where they stay long
    enough."""
    step = _UNTHREADED_PRODUCTS // max(kernel.size, 1)
    if not _MIN_ROWS <= step < len(rows):
        products: np.ndarray = rows @ kernel
        return products
    whole = len(rows) // step * step
    result = np.empty((len(rows), kernel.shape[1]), dtype=rows.dtype)
    pieces = result[:whole].reshape(-1, step, kernel.shape[1])
    np.matmul(rows[:whole].reshape(-1, step, len(kernel)), kernel, out=pieces)
    result[whole:] = rows[whole:] @ kernel
    return result


def depthwise_sum(x: np.ndarray, weights: np.ndarray, window: Window, fill: float) -> np.ndarray:
    """Sums of products per channel: x NHWC and weights (kh, kw, C·m) of one type to NHWC.

    Output channel c reads input channel c // m.
    """
    tall, wide = window_output(window, x.shape[1], x.shape[2])
    channels = weights.shape[2]
    repeat = channels // x.shape[3]
    spread = np.repeat(x, repeat, axis=3) if repeat > 1 else x
    total = np.zeros((len(x), tall, wide * channels), dtype=x.dtype)
    for block in blocks(len(x), tall * wide * channels):
        product = np.empty_like(total[block])
        for ky, kx, rows in tap_rows(spread[block], window, fill):
            np.multiply(rows, np.tile(weights[ky, kx], wide), out=product)
            total[block] += product
    return total.reshape(len(x), tall, wide, channels)


def window_sum(x: np.ndarray, window: Window) -> np.ndarray:
    """Sum over the taps inside the tensor, NHWC."""
    return _reduce(x, window, np.add, 0)


def window_max(x: np.ndarray, window: Window, lowest: float) -> np.ndarray:
    """Maximum over the taps inside the tensor, NHWC; ``lowest`` is no larger than any element."""
    return _reduce(x, window, np.maximum, lowest)


def _reduce(x: np.ndarray, window: Window, combine: np.ufunc, neutral: float) -> np.ndarray:
    tall, wide = window_output(window, x.shape[1], x.shape[2])
    if window.kernel == x.shape[1:3] and window.taps > _MAX_TAPS and not window.pads.any:
        reduced: np.ndarray = combine.reduce(x, axis=(1, 2), keepdims=True)
        return reduced
    result = np.full((len(x), tall, wide * x.shape[3]), neutral, dtype=x.dtype)
    for _, _, rows in tap_rows(x, window, neutral):
        combine(result, rows, out=result)
    return result.reshape(len(x), tall, wide, x.shape[3])


def blocks(count: int, elements: int) -> Iterator[slice]:
    """Slices over ``count`` samples of ``elements`` each, at least one sample long."""
    step = max(1, _BLOCK_ELEMENTS // max(elements, 1))
    return (slice(start, start + step) for start in range(0, count, step))
