"""Estimated cycles of one call on GAP8's eight cores, everything in L1: kernels that go along their
elements. Fitted to gap8_sim (docs/gap8-simulator.md)."""

from __future__ import annotations

from math import prod

from deployer.kernelset.kernel import KernelCase

CALL = 250.0  # entering and leaving a kernel, fields of its arguments


_RATES = {"Add": 0.96, "Sub": 0.96, "Mul": 1.22, "Table": 0.45, "Rescale": 0.69}


def by_elements(case: KernelCase) -> float:
    """Each element by itself."""
    return CALL + _RATES[case.op] * prod(case.out_shape)
