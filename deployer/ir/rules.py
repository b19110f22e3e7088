"""Requantization rules: how an accumulator becomes an integer (docs/arithmetic.md)."""

from __future__ import annotations

from deployer.choices import Word


class RequantRule(Word):
    """``MEAN`` and ``MEAN_EVEN`` divide, and only in an AveragePool: halves away from zero, or to
    an even number of steps from the zero point. All others multiply and shift."""

    SHIFT = "shift"
    I32 = "i32"
    Q16 = "q16"
    Q32 = "q32"
    Q31 = "q31"
    MEAN = "mean"
    MEAN_EVEN = "mean_even"


MEANS = (RequantRule.MEAN, RequantRule.MEAN_EVEN)
PRODUCTS = tuple(rule for rule in RequantRule if rule not in MEANS)
AFFINE = (RequantRule.I32, RequantRule.SHIFT)  # (sum * multiplier + addend) >> shift
