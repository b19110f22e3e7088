"""Weights with their tables as CMSIS-NN has them."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from deployer.ir import AFFINE, RequantRule
from deployer.kernelset.layouts.parameters import Parameters

_BITS = 31
OUTPUT_AXIS = {2: 0, 3: 2, 4: 0}  # OI, HWC, OHWI by rank


@dataclass(frozen=True, eq=False)
class Rounded:
    """``multiplier`` / 2^(31 - ``shift``), rounded once, then the output's zero point."""

    multiplier: np.ndarray
    shift: np.ndarray
    output_zero: int


def cmsis_nn(given: Parameters) -> np.ndarray:
    """int32: the output's zero point; biases, multipliers and shifts of every channel; then the
    weights in the IR's order. Of a convolution the biases are without the input's zero point, since
    the library adds it to the inputs."""
    axis = OUTPUT_AXIS[given.weights.ndim]
    channels = given.weights.shape[axis]
    bias = given.bias.astype(np.int64)
    if given.weights.ndim > 2:
        others = tuple(i for i in range(given.weights.ndim) if i != axis)
        bias = bias + given.zero * given.weights.sum(axis=others, dtype=np.int64)
    found = rounded(given)
    tables = (bias, *(np.broadcast_to(t, channels) for t in (found.multiplier, found.shift)))
    words = np.concatenate([[found.output_zero], *tables]).astype("<i4")
    return np.concatenate([words.view(np.int8), given.weights.reshape(-1)])


def cmsis_nn_plain(given: Parameters) -> np.ndarray:
    """The same where the biases are without the input's zero point: transposed convolutions."""
    return cmsis_nn(replace(given, zero=0))


def rounded(given: Parameters) -> Rounded:
    """The same integers in the library's form; multipliers as large as they can be without loss."""
    multiplier, shift = given.multiplier.astype(np.int64), given.shift.astype(np.int64)
    zero = int(given.rounding[0])
    if given.rule in AFFINE:
        zero >>= int(shift[0])
        multiplier = multiplier if given.rule == RequantRule.I32 else np.ones_like(multiplier)
        spare = _spare(multiplier)
        multiplier, shift = multiplier << spare, shift + spare
    elif given.rule == RequantRule.Q32:
        shift = np.full_like(multiplier, 32)
    elif given.rule != RequantRule.Q31:
        raise ValueError(f"single rounding does not compute {given.rule}")
    return Rounded(multiplier, _BITS - shift, zero)


def _spare(multiplier: np.ndarray) -> np.ndarray:
    """Bits by which each can go to the left and stay an int32."""
    taken = np.frexp(np.maximum(multiplier, 1).astype(np.float64))[1]
    spare: np.ndarray = _BITS - taken.astype(np.int64)
    return spare
