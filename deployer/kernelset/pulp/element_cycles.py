"""Estimated cycles of one call on GAP8's eight cores, everything in L1: kernels that go along their
elements. Fitted to gap8_sim (docs/gap8-simulator.md)."""

from __future__ import annotations

from math import prod

from deployer.kernelset.kernel import KernelCase

CALL = 250.0  # entering and leaving a kernel, fields of its arguments


_RATES = {"Add": 0.96, "Sub": 0.96, "Mul": 1.22, "Table": 0.45, "Rescale": 0.69}
_TAPS = 4  # that max_words.S takes at once


def by_elements(case: KernelCase) -> float:
    """Each element by itself."""
    return CALL + _RATES[case.op] * prod(case.out_shape)


def max_pool(case: KernelCase) -> float:
    """Four taps, then four more at a time with what is there."""
    rounds = -(-prod(case.kernel) // _TAPS)
    return CALL + prod(case.out_shape) * (0.42 + 1.05 * (rounds - 1))


def average_pool(case: KernelCase) -> float:
    """Sums of taps; each output is requantized by itself."""
    return CALL + prod(case.out_shape) * (0.2 * prod(case.kernel) + 11.5)
