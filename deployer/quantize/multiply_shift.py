"""The default scheme: asymmetric activations, symmetric weights with a scale per output channel."""

from __future__ import annotations

from contextlib import suppress
from functools import partial

import numpy as np

from deployer.choices import Calibration, RequantChoice, SchemeName
from deployer.ir import QuantParams, RequantRule
from deployer.numerics import Multipliers, RuleSearch, choose
from deployer.quantize.scheme import HEADROOM, Linear, Scheme

WEIGHT_MAX = 127
INT16_MAX = 32767
NEAR_STEPS = 0.5  # output steps at full scale: as much as rounding itself
_PARTS = 20  # ends tried at each side of a range
_DEGENERATE = 1e-20
# For a channel without weights: exact in every rule, and fine enough for its bias.
_EMPTY_MULTIPLIER = 2.0**-8


def multiply_shift(
    requant: RequantChoice = RequantChoice.AUTO,
    preferred: RequantChoice = RequantChoice.AUTO,
    *,
    close: bool = False,
) -> Scheme:
    """Of auto, the rule ``preferred`` is taken wherever it stays within NEAR_STEPS of the exact
    output (docs/arithmetic.md). ``close``: auto is as exact as float arithmetic, for a network that
    was quantized elsewhere."""
    close = close and requant == RequantChoice.AUTO
    return Scheme(
        name=SchemeName.MULTIPLY_SHIFT,
        fit=fit,
        candidates=candidates,
        weight_scales=weight_scales,
        multipliers=partial(_multipliers, _rule(requant, close=close), _rule(preferred)),
        calibration=Calibration.MINMAX,
        rules=(RequantRule.I32,),
        unit=QuantParams((2.0**-8,), -128),
        signed_unit=QuantParams((2.0**-7,), 0),
        mean_pools=requant == RequantChoice.Q31,
        close=close,
    )


def fit(low: float, high: float, bits: int) -> QuantParams:
    """The finest quantization that holds the range and 0; int16 has room beside it."""
    if bits == 8:
        return asymmetric(low, high)
    return symmetric(HEADROOM * low, HEADROOM * high)


def candidates(low: float, high: float) -> tuple[QuantParams, ...]:
    """The range, then parts of it that are shorter at one end or both."""
    shares = 1 - np.arange(_PARTS) / (_PARTS + 1)
    lows = [share * low for share in shares] if low < 0 else [0.0]
    highs = [share * high for share in shares] if high > 0 else [0.0]
    return tuple(asymmetric(a, b) for a in lows for b in highs)


def asymmetric(low: float, high: float) -> QuantParams:
    """int8 over [low, high] widened to hold 0, which gets an integer of its own.

    The scale is a float32, so that device and host dequantize alike. A range of no width becomes
    1 wide.
    """
    low, high = min(low, 0.0), max(high, 0.0)
    if high - low < _DEGENERATE:
        high = low + 1.0
    scale = float(np.float32((high - low) / 255))
    zero = min(max(round(-128 - low / scale), -128), 127)
    return QuantParams((scale,), zero)


def symmetric(low: float, high: float) -> QuantParams:
    """int16 with zero point 0; the scale is a float32. A range of no width becomes 1 wide."""
    largest = max(-low, high)
    scale = (largest if largest >= _DEGENERATE else 1.0) / INT16_MAX
    return QuantParams((float(np.float32(scale)),), bits=16)


def weight_scales(layer: Linear) -> np.ndarray:
    """Per channel the scale that maps the largest weight to 127, or the smallest useful one."""
    largest = np.abs(layer.rows).max(axis=1, initial=0.0)
    scales = np.where(largest > 0, largest / WEIGHT_MAX, _EMPTY_MULTIPLIER / layer.steps)
    return np.maximum(scales, layer.smallest_scale)


def _rule(choice: RequantChoice, *, close: bool = False) -> RequantRule | RuleSearch:
    if choice == RequantChoice.AUTO:
        return RuleSearch.CLOSE if close else RuleSearch.AUTO
    return RequantRule(choice)


def _multipliers(
    rule: RequantRule | RuleSearch,
    preferred: RequantRule | RuleSearch,
    real: np.ndarray,
    bound: np.ndarray,
    output: QuantParams,
) -> Multipliers:
    if rule in tuple(RuleSearch) and preferred != RuleSearch.AUTO:
        with suppress(ValueError):
            found = choose(preferred, real, bound, output.zero_point, steps=output.steps)
            if found.error <= NEAR_STEPS:
                return found
    return choose(rule, real, bound, output.zero_point, steps=output.steps)
