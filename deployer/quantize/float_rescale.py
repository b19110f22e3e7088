"""A Rescale whose outputs are those of DequantizeLinear and QuantizeLinear in float32.

Scales that both stem from integers have ratios of small ones. Products then land on ties, which are
half to even there and half up here, and which a multiplier rounded to the nearest misses.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from deployer.ir import QuantParams
from deployer.numerics import INT32_MAX, Multipliers, dequantize, quantize
from deployer.quantize.scheme import Tensor

_TRIED_MULTIPLIERS = 64  # multipliers to each side that are tried


def rescaling_as_floats(found: Multipliers, x: Tensor, output: QuantParams) -> Multipliers | None:
    """``found``, one entry of i32, with the next multiplier and rounding that give every integer of
    ``x`` the output of float32 arithmetic, so that none is lost. None where there are none, as
    where ties contradict each other."""
    multiplier, rounding, shift = (
        int(table[0]) for table in (found.multiplier, found.rounding, found.shift)
    )
    taken = np.arange(x.interval[0], x.interval[1] + 1)
    wanted = quantize(dequantize(taken, x.quant), output).astype(np.int64)
    for step in sorted(range(-_TRIED_MULTIPLIERS, _TRIED_MULTIPLIERS + 1), key=abs):
        moved = multiplier + step
        low, high = _roundings(taken * moved, wanted, output, shift)
        near = min(max(rounding - step * x.quant.zero_point, low), high)
        if low <= high and int(np.abs(taken).max()) * moved + abs(near) <= INT32_MAX:
            numbers = (np.array([number], dtype=np.int32) for number in (moved, near))
            multipliers, roundings = numbers
            return replace(found, multiplier=multipliers, rounding=roundings, error=0.0)
    return None


def _roundings(
    products: np.ndarray, wanted: np.ndarray, output: QuantParams, shift: int
) -> tuple[int, int]:
    """Least and largest rounding constants with which ``products`` become ``wanted``, saturated."""
    least = ((wanted << shift) - products)[wanted > output.low]
    most = (((wanted + 1) << shift) - 1 - products)[wanted < output.high]
    return int(least.max(initial=-INT32_MAX)), int(most.min(initial=INT32_MAX))
