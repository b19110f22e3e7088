"""Depthwise convolution on NEON: eight channels of a tap at a time, or of pixels side by side."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from deployer.kernelset.blocking.neon import (
    COLUMN_CHANNELS,
    COPIED_CHANNELS,
    DEPTHWISE_CHANNELS,
    HEADER_BYTES,
    MAX_MAGNITUDES,
    NARROW_BLOCK_CHANNELS,
    SHARED_TAPS,
    STRIDED_TAPS,
)
from deployer.kernelset.layouts.parameters import Parameters


@dataclass(frozen=True)
class Window:
    """``column``: columns of one output a channel, of a type that takes their rows as one pixel."""

    kernel: tuple[int, ...]
    stride: tuple[int, int]
    column: bool = False


def column_window(kernel: tuple[int, ...], stride: tuple[int, int], multiplier: int) -> Window:
    """Of integers."""
    return Window(kernel, stride, column=kernel[1:] == (1,) and stride[1] == multiplier == 1)


def _full(channels: int) -> int:
    """Pixels side by side of which a fifth of the lanes are empty at most; there are eight lanes at
    least."""
    group = -(-DEPTHWISE_CHANNELS // channels)
    while (
        -(-group * channels // DEPTHWISE_CHANNELS) * DEPTHWISE_CHANNELS * 5 > group * channels * 6
    ):
        group += 1
    return group


def copies_rows(channels: int, window: Window, *, unaligned: bool, listed: bool = False) -> bool:
    """Whether rows are copied that are no single pixel; the reason is in depthwise.h.
    ``unaligned``: pixels do not begin at eight bytes, and blocks fill a row; ``listed``: many
    blocks have lists of their own."""
    if side_by_side(channels, window) > 1:
        return True
    few = channels <= COPIED_CHANNELS
    return (_shares(window) and (few or unaligned)) or (few and listed and _strides(window))


def side_by_side(channels: int, window: Window) -> int:
    """Pixels whose channels are lanes of one, where rows are copied, or where a row is one pixel:
    its lanes are whole eights then."""
    if window.column and channels <= COLUMN_CHANNELS:
        return DEPTHWISE_CHANNELS // math.gcd(channels, DEPTHWISE_CHANNELS)
    return _full(channels) if channels < DEPTHWISE_CHANNELS or _shares(window) else 1


def _shares(window: Window) -> bool:
    """Whether so many taps share an input pixel that copies take less than lists."""
    return math.prod(window.kernel) >= SHARED_TAPS * math.prod(window.stride)


def _strides(window: Window) -> bool:
    """Whether copies take less than lists of each pixel, at strides."""
    turns = math.prod(window.stride)
    return turns > 1 and math.prod(window.kernel) >= STRIDED_TAPS * turns


def taps_c8(given: Parameters) -> np.ndarray:
    """HWC to a header and a piece for the outputs of each eight input channels, where these are few
    those of pixels side by side: of each tap those, a tap of zeros behind an odd number, then for
    each four channels biases, multipliers, roundings and negative shifts as int32. The last piece
    is that of the last eight. Where an input channel has several outputs, there is such a piece of
    the first ones of eight, then of the second ones. The header's first word is 1 where the
    products of a tap and the next one always fit 16 bits in sum."""
    taps = _in_pairs(given.weights)
    header = np.zeros(HEADER_BYTES // 4, "<i4")
    header[0] = _pairs_fit(taps)
    return np.concatenate([header.view(np.int8), _pieces(given, taps)])


def taps_c8_wide(given: Parameters) -> np.ndarray:
    """The same without a header, taps as int16, as many as there are."""
    return _pieces(given, _taps(given.weights).astype("<i2"))


def taps_c8_floats(given: Parameters) -> np.ndarray:
    """HWC to the same pieces of floats, of which the last eight of each are biases."""
    taps = _taps(given.weights)
    rows = np.concatenate([taps, given.bias.reshape(1, -1)])
    by_piece = rows[:, _lanes(given, Window(_kernel(given), given.stride))].transpose(1, 0, 2)
    return np.ascontiguousarray(by_piece).astype("<f4").reshape(-1)


def _kernel(given: Parameters) -> tuple[int, ...]:
    return given.weights.shape[:-1]


def _multiplier(given: Parameters) -> int:
    count: int = given.weights.shape[-1] // given.groups
    return count


def _lanes(given: Parameters, window: Window) -> np.ndarray:
    """[piece, lane]: the output channel of each; the last pieces are those of the last eight."""
    inputs, multiplier = given.groups, _multiplier(given)
    lanes = side_by_side(inputs, window) * inputs
    last = lanes - DEPTHWISE_CHANNELS
    firsts = [min(c, last) for c in range(0, lanes, DEPTHWISE_CHANNELS)]
    channels = (np.array(firsts)[:, None, None] + np.arange(DEPTHWISE_CHANNELS)) % inputs
    by_turns = channels * multiplier + np.arange(multiplier)[:, None]
    lanes_of: np.ndarray = by_turns.reshape(-1, DEPTHWISE_CHANNELS)
    return lanes_of


def _taps(weights: np.ndarray) -> np.ndarray:
    """[tap, channel]."""
    taps: np.ndarray = weights.reshape(-1, weights.shape[-1])
    return taps


def _in_pairs(weights: np.ndarray) -> np.ndarray:
    """The same, an even number of taps."""
    taps = _taps(weights)
    return np.pad(taps, ((0, len(taps) % 2), (0, 0)))


def _pieces(given: Parameters, taps: np.ndarray) -> np.ndarray:
    lanes = _lanes(given, column_window(_kernel(given), given.stride, _multiplier(given)))
    by_piece = np.ascontiguousarray(taps[:, lanes].transpose(1, 0, 2)).view(np.int8)
    tables = _tables(given, taps.shape[1])[:, lanes]
    by_fours = tables.reshape(4, len(lanes), -1, NARROW_BLOCK_CHANNELS).transpose(1, 2, 0, 3)
    ordered = np.ascontiguousarray(by_fours).view(np.int8)
    parts = [each.reshape(len(lanes), -1) for each in (by_piece, ordered)]
    return np.concatenate(parts, axis=1).reshape(-1)


def _pairs_fit(taps: np.ndarray) -> bool:
    magnitudes = np.abs(taps.astype(np.int32)).reshape(-1, 2, taps.shape[-1]).sum(axis=1)
    return int(magnitudes.max()) <= MAX_MAGNITUDES


def _tables(given: Parameters, channels: int) -> np.ndarray:
    """[kind, channel]."""
    kinds = [given.bias, given.multiplier, given.rounding, -given.shift.astype(np.int32)]
    full = np.zeros((len(kinds), channels), "<i4")
    for i, kind in enumerate(kinds):
        full[i] = np.broadcast_to(kind, channels) if len(kind) else 0
    return full
