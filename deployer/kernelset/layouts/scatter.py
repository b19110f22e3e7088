"""Transposed convolution on NEON: of every input channel what it adds to the outputs it reaches."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from deployer.kernelset.blocking.neon import SCATTER_VECTORS
from deployer.kernelset.layouts.parameters import Parameters

_LANES = 4


def scatter(given: Parameters) -> np.ndarray:
    """OHWI to, for each group, tiles of up to four vectors of a kernel's outputs: of every input
    channel int16 of each. Vectors are those of the kernel rows one after the other, each row as its
    columns of output channels, filled up."""
    parts = np.split(given.weights, given.groups)
    return np.concatenate([tile for part in parts for tile in _packed(part, given.stride[0])])


def tiles(high: int, vectors: int, stride: int) -> Iterator[slice]:
    """The tiles of ``high`` kernel rows of ``vectors``: no more rows than the stride, since the
    next one meets the first of the pixel below."""
    first, every = 0, high * vectors
    while first < every:
        end = min(first + SCATTER_VECTORS, (first // vectors + stride) * vectors, every)
        yield slice(first, end)
        first = end


def _packed(weights: np.ndarray, stride: int) -> Iterator[np.ndarray]:
    outputs, high, wide, depth = weights.shape
    rows = weights.transpose(1, 2, 0, 3).reshape(high, wide * outputs, depth)
    filled = np.pad(rows, ((0, 0), (0, -rows.shape[1] % _LANES), (0, 0)))
    vectors = filled.reshape(-1, _LANES, depth)
    for tile in tiles(high, len(vectors) // high, stride):
        by_channel = vectors[tile].transpose(2, 0, 1)
        yield np.ascontiguousarray(by_channel).astype("<i2").reshape(-1).view(np.int8)
