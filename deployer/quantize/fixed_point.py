"""The power-of-two scheme of paper 001, 3.3.3: real = q · 2^-n, no zero points (Eq. 3.5).

n is chosen per activation and per layer of weights: the one with the least squared error among
Eq. 3.6 for the largest magnitude and a few finer scales that saturate it (Eq. 3.7).
"""

from __future__ import annotations

import math

import numpy as np

from deployer.ir.types import QuantParams
from deployer.numerics.requant import Multipliers, choose
from deployer.quantize.calibrate import fixed_point_error
from deployer.quantize.scheme import HEADROOM, Linear, Scheme

_FINER = 3  # Eq. 3.7 with K = 2^3
_DEGENERATE = 1e-20
_DEFAULT_FRACTION = 7
_INT16_MAX = 32767


def fixed_point() -> Scheme:
    """Requantization is a shift in every linear layer."""
    return Scheme(
        name="power-of-two",
        fit=fit,
        candidates=activation_candidates,
        weight_scales=weight_scales,
        multipliers=_multipliers,
        per_channel=False,
        calibration="mse",
        rules=("shift", "i32"),
        unit=binary(7),
        signed_unit=binary(7),
    )


def binary(fraction: int) -> QuantParams:
    """The quantization with scale 2^-fraction."""
    return QuantParams((2.0**-fraction,), 0)


def fraction_of(scale: float) -> int:
    """n of a scale 2^-n."""
    return 1 - math.frexp(scale)[1]


def candidates(largest: float) -> tuple[int, ...]:
    """Fraction lengths worth trying for values up to ``largest`` in magnitude."""
    if largest < _DEGENERATE:
        return (_DEFAULT_FRACTION,)
    coarsest = math.floor(math.log2(127 / largest))
    return tuple(range(coarsest, coarsest + _FINER + 1))


def fit(low: float, high: float, bits: int = 8) -> QuantParams:
    """The finest scale at which the range saturates nothing (Eq. 3.6); int16 has room beside it."""
    if bits == 8:
        return activation_candidates(low, high)[0]
    largest = HEADROOM * max(-low, high)
    if largest < _DEGENERATE:
        return QuantParams((2.0**-_DEFAULT_FRACTION,), bits=16)
    return QuantParams((2.0 ** -math.floor(math.log2(_INT16_MAX / largest)),), bits=16)


def activation_candidates(low: float, high: float) -> tuple[QuantParams, ...]:
    return tuple(binary(fraction) for fraction in candidates(max(-low, high)))


def weight_scales(layer: Linear) -> np.ndarray:
    """One scale for all channels, or one each beside int16, where weights are what limits the
    accuracy; coarser where a finer one gains nothing."""
    groups = layer.rows[None] if layer.output.bits == 8 else layer.rows[:, None]
    finest = math.floor(-math.log2(layer.smallest_scale))
    scales = [2.0 ** -min(_weight_fraction(rows), finest) for rows in groups]
    return np.resize(scales, len(layer.rows))


def _weight_fraction(rows: np.ndarray) -> int:
    options = candidates(float(np.abs(rows).max(initial=0.0)))
    return min(options, key=lambda fraction: fixed_point_error(rows, fraction, -127))


def _multipliers(real: np.ndarray, bound: np.ndarray, output: QuantParams) -> Multipliers:
    return choose("shift", real, bound, output.zero_point)
