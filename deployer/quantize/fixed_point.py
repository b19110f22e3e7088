"""The power-of-two scheme of paper 001, 3.3.3, with zero points: real = (q - zero) · 2^-n.

n is chosen per activation and per output channel of weights: the one with the least squared error
among Eq. 3.6 for the whole range and a few finer scales that saturate it (Eq. 3.7). Eq. 3.5 has no
zero points; they cost nothing, since a bias takes them in, and give what is never negative all 8
bits.
"""

from __future__ import annotations

import math

import numpy as np

from deployer.choices import Calibration, SchemeName
from deployer.ir import QuantParams, RequantRule
from deployer.numerics import Multipliers, choose
from deployer.quantize.calibrate import fixed_point_error
from deployer.quantize.scheme import HEADROOM, Linear, Scheme

_FINER_BITS = 3  # Eq. 3.7 with K = 2^3
_DEGENERATE = 1e-20
_DEFAULT_FRACTION_BITS = 7
_INT16_MAX = 32767


def fixed_point() -> Scheme:
    """Requantization is a shift in every linear layer."""
    return Scheme(
        name=SchemeName.POWER_OF_TWO,
        fit=fit,
        candidates=activation_candidates,
        weight_scales=weight_scales,
        multipliers=_multipliers,
        calibration=Calibration.MSE,
        rules=(RequantRule.SHIFT, RequantRule.I32),
        unit=QuantParams((2.0**-8,), -128),
        signed_unit=binary(7),
    )


def binary(fraction: int) -> QuantParams:
    """The quantization with scale 2^-fraction."""
    return QuantParams((2.0**-fraction,), 0)


def candidates(largest: float) -> tuple[int, ...]:
    """Fraction lengths worth trying for weights up to ``largest`` in magnitude."""
    if largest < _DEGENERATE:
        return (_DEFAULT_FRACTION_BITS,)
    coarsest = math.floor(math.log2(127 / largest))
    return tuple(range(coarsest, coarsest + _FINER_BITS + 1))


def fit(low: float, high: float, bits: int) -> QuantParams:
    """The finest scale at which the range saturates nothing (Eq. 3.6); int16 has room beside it."""
    if bits == 8:
        return activation_candidates(low, high)[0]
    largest = HEADROOM * max(-low, high)
    if largest < _DEGENERATE:
        return QuantParams((2.0**-_DEFAULT_FRACTION_BITS,), bits=16)
    return QuantParams((2.0 ** -math.floor(math.log2(_INT16_MAX / largest)),), bits=16)


def activation_candidates(low: float, high: float) -> tuple[QuantParams, ...]:
    """The whole range, then finer scales that keep its lower end, its upper end or its middle."""
    low, high = min(low, 0.0), max(high, 0.0)
    if high - low < _DEGENERATE:
        return (binary(_DEFAULT_FRACTION_BITS),)
    coarsest = math.floor(math.log2(255 / (high - low)))
    found = [_from(low, coarsest)]
    for fraction in range(coarsest + 1, coarsest + _FINER_BITS + 1):
        spare = high - low - 255 * 2.0**-fraction
        found += [_from(low + share * spare, fraction) for share in (0.0, 0.5, 1.0)]
    return tuple(dict.fromkeys(found))


def _from(low: float, fraction: int) -> QuantParams:
    """The scale 2^-fraction with ``low`` at -128, as far as zero stays an integer of int8."""
    zero = round(-128 - low * 2.0**fraction)
    return QuantParams((2.0**-fraction,), min(max(zero, -128), 127))


def weight_scales(layer: Linear) -> np.ndarray:
    """One scale per output channel, coarser where a finer one gains nothing."""
    finest = math.floor(-math.log2(layer.smallest_scale))
    return np.array([2.0 ** -min(_weight_fraction(row), finest) for row in layer.rows])


def _weight_fraction(row: np.ndarray) -> int:
    options = candidates(float(np.abs(row).max(initial=0.0)))
    return min(options, key=lambda fraction: fixed_point_error(row, fraction, -127))


def _multipliers(real: np.ndarray, bound: np.ndarray, output: QuantParams) -> Multipliers:
    return choose(RequantRule.SHIFT, real, bound, output.zero_point)
