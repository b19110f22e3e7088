"""Rescales give what float32 arithmetic gives, wherever one multiplier can."""

from __future__ import annotations

import numpy as np
import pytest

from deployer.ir.types import QuantParams
from deployer.numerics.requant import requantize
from deployer.numerics.steps import dequantize, quantize
from deployer.quantize.elementwise import rescale_multipliers
from deployer.quantize.scheme import Tensor

ALL = np.arange(-128, 128)
FINE = QuantParams((0.01295611634850502,), -128)  # PyTorch's, 62 of the next over 255
COARSE = QuantParams((0.05328725278377533,), -128)


def differing(x: Tensor, output: QuantParams, *, close: bool) -> list[int]:
    found = rescale_multipliers(x, output, close=close)
    taken = ALL[(x.interval[0] <= ALL) & (x.interval[1] >= ALL)]
    tables = (found.multiplier, found.rounding, found.shift)
    given = requantize(taken[:, None], found.rule, *tables, low=-128, high=127)[:, 0]
    wanted = quantize(dequantize(taken, x.quant), output)
    return [int(n) for n in taken[given != wanted]]


def test_a_tie_that_the_nearest_multiplier_misses() -> None:
    x = Tensor(COARSE, (-128, 127))
    assert differing(x, FINE, close=False) == [-97]
    assert differing(x, FINE, close=True) == []
    assert rescale_multipliers(x, FINE, close=True).error == 0


@pytest.mark.parametrize("zero", [-128, 0, 57])
def test_most_pairs_of_scales_have_such_multipliers(zero: int) -> None:
    rng, x = np.random.default_rng(zero + 128), Tensor(QuantParams((0.05,), 11), (-100, 127))
    scales = [float(np.float32(0.05 * rng.uniform(0.2, 3))) for _ in range(40)]
    assert not any(differing(x, QuantParams((scale,), zero), close=True) for scale in scales)


def test_ties_that_contradict_each_other_are_left() -> None:
    """Halves: those of odd numbers are ties, and every second one goes up."""
    x, output = Tensor(QuantParams((0.5,), 0), (-128, 127)), QuantParams((1.0,), 0)
    plain, close = (rescale_multipliers(x, output, close=c) for c in (False, True))
    assert close.multiplier == plain.multiplier
    assert close.rounding == plain.rounding
