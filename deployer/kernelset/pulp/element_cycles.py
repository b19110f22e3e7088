"""Estimated cycles of one call on GAP8's eight cores, everything in L1: kernels that go along their
elements. Fitted to gap8_sim (docs/gap8-simulator.md)."""

from __future__ import annotations

from math import prod

from deployer.kernelset.kernel import KernelCase
from deployer.kernelset.pulp.windows import CORES

CALL = 250.0  # entering and leaving a kernel, fields of its arguments


_RATES = {"Add": 0.96, "Sub": 0.96, "Mul": 1.22, "Table": 0.45, "Rescale": 0.69}
_TAPS = 4  # that max_words.S takes at once


def by_elements(case: KernelCase) -> float:
    """Each element by itself."""
    return CALL + _RATES[case.op] * prod(case.out_shape)


def max_pool(case: KernelCase) -> float:
    """Of the core with most pixels: four taps of its words, then four more at a time with what is
    there."""
    words, rounds = -(-case.out_channels // 4), -(-prod(case.kernel) // _TAPS)
    return CALL + _pixels(case) * (80 + 10 * words + (rounds - 1) * (170 + 10 * words))


def average_pool(case: KernelCase) -> float:
    """Sums of taps; each output is requantized by itself."""
    outputs = prod(case.out_shape)
    return CALL + 100 * _pixels(case) + outputs * (0.2 * prod(case.kernel) + 10)


def _pixels(case: KernelCase) -> int:
    """Of the core with most of them."""
    return -(-prod(case.out_shape[1:-1]) // CORES)
