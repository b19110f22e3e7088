"""Orders in which kernels want their weights: from the IR's own to bytes for a C array."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np

_BEYOND = 4  # bytes an inner loop may read behind the last weights


def packed(layout: str, weights: np.ndarray) -> np.ndarray:
    """``weights`` (int8, in the IR's layout) as a flat array; "" is the IR's own order."""
    return weights if not layout else LAYOUTS[layout](weights)


def pairs(weights: np.ndarray) -> np.ndarray:
    """OHWI or OI to pairs of output channels (a, b), four values of each at a time: the bytes
    a0 b0 a2 b2 a1 b1 a3 b3. Missing values and an odd channel's partner are zero."""
    channels = len(weights)
    flat = weights.reshape(channels, -1)
    rows, columns = channels + channels % 2, -(-flat.shape[1] // 4) * 4
    full = np.zeros((rows, columns), np.int8)
    full[:channels, : flat.shape[1]] = flat
    # (pair, a or b, four, even or odd half, which of two) with k = 2 * which + half
    split = full.reshape(rows // 2, 2, columns // 4, 2, 2)  # [pair, ab, four, which, half]
    order = split.transpose(0, 2, 4, 3, 1)  # [pair, four, half, which, ab]
    return np.concatenate([order.reshape(-1), np.zeros(_BEYOND, np.int8)])


def taps_3x3(weights: np.ndarray) -> np.ndarray:
    """HWC, 3 by 3, to int16 per channel: for each column of taps w0 w1 w1 w2 from the top."""
    rows = weights.astype("<i2").transpose(2, 1, 0)[..., [0, 1, 1, 2]]  # [channel, column, four]
    return np.ascontiguousarray(rows).view(np.int8).reshape(-1)


def quads(weights: np.ndarray) -> np.ndarray:
    """OI to fours of output channels (a, b, c, d), four values of each at a time: halfwords a + 256b
    of values 0 2 1 3, then c + 256d of the same. Zeros fill up."""
    channels, depth = weights.shape
    rows, columns = -(-channels // 4) * 4, -(-depth // 8) * 8
    full = np.zeros((rows, columns), np.int16)
    full[:channels, :depth] = weights
    split = full.reshape(
        rows // 4, 2, 2, columns // 4, 2, 2
    )  # [block, pair, ab, four, which, half]
    shared = split[:, :, 0] + 256 * split[:, :, 1]  # [block, pair, four, which, half]
    order = shared.transpose(0, 2, 1, 4, 3).astype("<i2")  # [block, four, pair, half, which]
    flat = np.ascontiguousarray(order).reshape(-1).view(np.int8)
    return np.concatenate([flat, np.zeros(2 * _BEYOND, np.int8)])


LAYOUTS: Mapping[str, Callable[[np.ndarray], np.ndarray]] = {
    "pairs": pairs,
    "taps_3x3": taps_3x3,
    "quads": quads,
}
