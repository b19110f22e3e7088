"""Orders in which kernels want their weights: from the IR's own to bytes for a C array."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

import numpy as np

_BEYOND = 8  # bytes an inner loop may read behind the last weights


@dataclass(frozen=True, eq=False)
class Parameters:
    """Of a node: ``weights`` int8 in the IR's layout; ``bias`` and ``multiplier`` int32, an entry a
    channel, or one multiplier for all; ``stride`` of the window, ``zero`` point of the input."""

    weights: np.ndarray
    bias: np.ndarray
    multiplier: np.ndarray
    stride: tuple[int, int] = (1, 1)
    zero: int = 0


def packed(layout: str, given: Parameters) -> np.ndarray:
    """The bytes of a C array, flat; "" is the IR's own order."""
    return LAYOUTS[layout](given) if layout else given.weights


def pairs(given: Parameters) -> np.ndarray:
    """OHWI to a piece for each pair of output channels (a, b): both biases, then four values of
    each at a time as the bytes a0 b0 a2 b2 a1 b1 a3 b3, then both multipliers. Missing values and
    an odd channel's partner are zero."""
    return np.concatenate([_stream(given), np.zeros(_BEYOND, np.int8)])


def remainders(given: Parameters) -> np.ndarray:
    """OHWI of a transposed convolution: for each pair of remainders of its strides, the taps that
    meet them, reversed, as ``pairs``. The zero point is folded into each one's biases, since taps
    outside the input read it."""
    down, across = given.stride
    parts = [_remainder(given, y, x) for y in range(down) for x in range(across)]
    return np.concatenate([*parts, np.zeros(_BEYOND, np.int8)])


def _remainder(given: Parameters, y: int, x: int) -> np.ndarray:
    down, across = given.stride
    weights = given.weights[:, y::down, x::across][:, ::-1, ::-1]
    sums = weights.astype(np.int32).sum(axis=(1, 2, 3))
    return _stream(replace(given, weights=weights, bias=given.bias - given.zero * sums))


def _stream(given: Parameters) -> np.ndarray:
    channels = len(given.weights)
    flat = given.weights.reshape(channels, -1)
    rows, columns = channels + channels % 2, -(-flat.shape[1] // 4) * 4
    full = np.zeros((rows, columns), np.int8)
    full[:channels, : flat.shape[1]] = flat
    split = full.reshape(rows // 2, 2, columns // 4, 2, 2)  # [pair, ab, four, which, half]
    order = split.transpose(0, 2, 4, 3, 1)  # [pair, four, half, which, ab]
    parts = [_by_pairs(given.bias, rows), order.reshape(rows // 2, -1)]
    multiplier = np.broadcast_to(given.multiplier, channels)
    whole = np.concatenate([*parts, _by_pairs(multiplier, rows)], axis=1)
    return whole.reshape(-1)


def _by_pairs(column: np.ndarray, rows: int) -> np.ndarray:
    """int32 entries as bytes, two entries a row."""
    full = np.zeros(rows, "<i4")
    full[: len(column)] = column
    return full.view(np.int8).reshape(rows // 2, 8)


def taps_3x3(given: Parameters) -> np.ndarray:
    """HWC, 3 by 3, to int16 per channel: for each column of taps w0 w1 w1 w2 from the top."""
    taps = given.weights.astype("<i2").transpose(2, 1, 0)  # [channel, column, row]
    return np.ascontiguousarray(taps[..., [0, 1, 1, 2]]).view(np.int8).reshape(-1)


def quads(given: Parameters) -> np.ndarray:
    """OI to fours of output channels (a to d), four values of each at a time: halfwords a + 256b of
    values 0 2 1 3, then c + 256d of the same. Zeros fill up."""
    channels, depth = given.weights.shape
    rows, columns = -(-channels // 4) * 4, -(-depth // 8) * 8
    full = np.zeros((rows, columns), np.int16)
    full[:channels, :depth] = given.weights
    split = full.reshape(
        rows // 4, 2, 2, columns // 4, 2, 2
    )  # [block, pair, ab, four, which, half]
    shared = split[:, :, 0] + 256 * split[:, :, 1]  # [block, pair, four, which, half]
    order = shared.transpose(0, 2, 1, 4, 3).astype("<i2")  # [block, four, pair, half, which]
    flat = np.ascontiguousarray(order).reshape(-1).view(np.int8)
    return np.concatenate([flat, np.zeros(_BEYOND, np.int8)])


LAYOUTS: Mapping[str, Callable[[Parameters], np.ndarray]] = {
    "pairs": pairs,
    "remainders": remainders,
    "taps_3x3": taps_3x3,
    "quads": quads,
}
