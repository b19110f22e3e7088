"""Depthwise convolution: taps in the pairs that products add."""

from __future__ import annotations

import numpy as np

from deployer.kernelset.layouts.parameters import Parameters


def taps_3x3(given: Parameters) -> np.ndarray:
    """HWC, 3 by 3, to int16 per channel: for each column of taps w0 w1 w1 w2 from the top."""
    taps = given.weights.astype("<i2").transpose(2, 1, 0)  # [channel, column, row]
    return np.ascontiguousarray(taps[..., [0, 1, 1, 2]]).view(np.int8).reshape(-1)
