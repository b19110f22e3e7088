"""What CMSIS-NN computes, in numpy: the library's two requantizations, to check its outputs by.

Both multiply by a Q31 number and shift right; "double" rounds after each, "single" once
(CMSIS_NN_USE_SINGLE_ROUNDING). Positive shifts are not used here.
"""

from __future__ import annotations

import numpy as np

from deployer.numerics import half_up

ROUNDINGS = ("double", "single")
_Q31 = 31
_LARGEST_REDUCED = 0x7FFF  # multiplier of 16 bits


def requantize(
    acc: np.ndarray, multiplier: np.ndarray, shift: np.ndarray, rounding: str
) -> np.ndarray:
    """int64 ``acc`` times multiplier / 2^31 times 2^shift; ``shift`` at most 0, channels last."""
    product = acc * multiplier.astype(np.int64)
    if rounding == "single":
        return half_up(product, _Q31 - shift)
    high = (product + (1 << (_Q31 - 1))) >> _Q31
    return _divided(high, -shift.astype(np.int64))


def requantize_reduced(acc: np.ndarray, multiplier: np.ndarray, shift: np.ndarray) -> np.ndarray:
    """As with biases of int64: the multiplier rounded to 16 bits; single and double alike."""
    wide = multiplier.astype(np.int64)
    upper = np.where(wide < _LARGEST_REDUCED << 16, (wide + (1 << 15)) >> 16, _LARGEST_REDUCED)
    product: np.ndarray = acc * upper
    return half_up(product, 15 - shift.astype(np.int64))


def _divided(x: np.ndarray, exponent: np.ndarray) -> np.ndarray:
    """By a power of two, halves away from zero."""
    mask = (np.int64(1) << exponent) - 1
    threshold = (mask >> 1) + (x < 0)
    quotient: np.ndarray = (x >> exponent) + ((x & mask) > threshold)
    return quotient


def split(real: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Real factors below 1 as Q31 multipliers and shifts, int32 both."""
    mantissa, exponent = np.frexp(real)
    multiplier = np.minimum(np.rint(mantissa * 2.0**_Q31), 2**_Q31 - 1)
    return multiplier.astype(np.int32), np.minimum(exponent, 0).astype(np.int32)
