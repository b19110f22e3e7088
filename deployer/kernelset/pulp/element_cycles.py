"""Estimated cycles of one call on GAP8's eight cores, everything in L1: kernels that go along their
elements. Fitted to gap8_sim (docs/gap8-simulator.md)."""

from __future__ import annotations

from math import prod

from deployer.kernelset.kernel import KernelCase

CALL = 250.0  # entering and leaving a kernel, fields of its arguments


def add(case: KernelCase) -> float:
    return CALL + 1.06 * prod(case.out_shape)


def max_pool(case: KernelCase) -> float:
    return CALL + 0.1225 * prod(case.out_shape) * prod(case.kernel)


def average_pool(case: KernelCase) -> float:
    return CALL + 0.235 * prod(case.out_shape) * prod(case.kernel) + prod(case.out_shape)
