"""Pools: four channels of a tap at a time."""

from __future__ import annotations

from deployer.kernelset.kernel import Kernel
from deployer.kernelset.order import BY_PIXELS
from deployer.kernelset.pulp import pool_cycles as cycles

KERNELS: tuple[Kernel, ...] = (
    Kernel(
        "dpl_average_pool_s8__xpulpv2",
        op="AveragePool",
        order=BY_PIXELS,
        assembly=("average_windows.S", "sum_run.S"),
        cycles=cycles.average_pool,
    ),
    Kernel(
        "dpl_max_pool_s8__xpulpv2",
        op="MaxPool",
        order=BY_PIXELS,
        assembly=("max_windows.S", "max_three.S", "max_words.S"),
        cycles=cycles.max_pool,
    ),
)
