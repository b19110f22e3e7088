"""3x3 convolution of int8 on NEON as Winograd's F(2x2, 3x3): weights transformed off line."""

from __future__ import annotations

import numpy as np

from deployer.kernelset.blocking.neon import (
    NARROW_BLOCK_CHANNELS,
    WIDE_BLOCK_CHANNELS,
    WIDE_STEP_VALUES,
    WINOGRAD_POSITIONS,
)
from deployer.kernelset.layouts.neon_tables import tables_of
from deployer.kernelset.layouts.parameters import Parameters
from deployer.kernelset.layouts.winograd import transformed


def x8_winograd(given: Parameters) -> np.ndarray:
    """OHWI (3x3) to a piece for each eight output channels: for each of 16 positions, of every
    input channel, int16 of each output channel; then the tables of ``x8``. Zeros fill up output
    and input channels to eights."""
    channels, depth = len(given.weights), given.weights.shape[3]
    missing = -channels % WIDE_BLOCK_CHANNELS, -depth % WIDE_STEP_VALUES
    spread = transformed(given.weights).reshape(channels, WINOGRAD_POSITIONS, depth)
    full = np.pad(spread, ((0, missing[0]), (0, 0), (0, missing[1]))).astype("<i2")
    pieces = full.reshape(-1, WIDE_BLOCK_CHANNELS, *full.shape[1:]).transpose(0, 2, 3, 1)
    values = np.ascontiguousarray(pieces).view(np.int8).reshape(len(pieces), -1)
    tables = tables_of(given, len(full) // NARROW_BLOCK_CHANNELS).view(np.int8)
    return np.concatenate([values, tables.reshape(len(values), -1)], axis=1).reshape(-1)
