"""Seeded numbers for a layer: He-initialised weights, biases, batch norm near the identity.

Every layer draws from a generator of its own, so the numbers of one do not depend on the others.
Biases and batch norms of equal width are equal, as in a network fresh from its constructor: the
older PyTorch exporter then shares them.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from deployer.tools.zoo.layers import Layer

if TYPE_CHECKING:
    import numpy as np

EPSILON = 1e-5
_SPREAD = 0.1  # of biases, shifts and means; scales and variances lie in 1 -+ 2 * _SPREAD


@dataclass(frozen=True, eq=False)
class Norm:
    """Batch norm: one float32 number per channel."""

    scale: np.ndarray
    shift: np.ndarray
    mean: np.ndarray
    variance: np.ndarray


def weight(layer: Layer, seed: int, index: int) -> np.ndarray:
    """The weight of the layer at position ``index``, float32, with spread gain / sqrt(fan_in)."""
    import numpy as np

    rng = np.random.default_rng([seed, 0, index])
    array = rng.standard_normal(layer.weight, dtype=np.float32)
    array *= np.float32(layer.gain / math.sqrt(layer.fan_in))
    return array


def bias(width: int, seed: int) -> np.ndarray:
    import numpy as np

    rng = np.random.default_rng([seed, 1, width])
    return rng.normal(0, _SPREAD, width).astype(np.float32)


def norm(width: int, seed: int) -> Norm:
    import numpy as np

    rng = np.random.default_rng([seed, 2, width])
    shift, mean = (rng.normal(0, _SPREAD, width).astype(np.float32) for _ in range(2))
    low, high = 1 - 2 * _SPREAD, 1 + 2 * _SPREAD
    scale, variance = (rng.uniform(low, high, width).astype(np.float32) for _ in range(2))
    return Norm(scale, shift, mean, variance)


def fold(
    array: np.ndarray, offset: np.ndarray | None, batch: Norm
) -> tuple[np.ndarray, np.ndarray]:
    """Weight and bias of a convolution with the batch norm behind it folded in, float32."""
    import numpy as np

    factor = batch.scale / np.sqrt(batch.variance.astype(np.float64) + EPSILON)
    before = 0 if offset is None else offset
    folded = batch.shift + factor * (before - batch.mean)
    wide = factor.reshape(-1, *(1,) * (array.ndim - 1)).astype(np.float32)
    return array * wide, folded.astype(np.float32)
