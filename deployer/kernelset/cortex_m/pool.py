"""Pools: sixteen channels of a tap at a time."""

from __future__ import annotations

from deployer.ir import AFFINE, RequantRule
from deployer.kernelset.blocking.cortex_m import MAX_HALFWORD_TAPS
from deployer.kernelset.kernel import Kernel, KernelCase
from deployer.kernelset.order import BY_PIXELS


def _rows_fit_halves(case: KernelCase) -> bool:
    return case.rule in (*AFFINE, RequantRule.MEAN_EVEN) and case.kernel[1] <= MAX_HALFWORD_TAPS


KERNELS: tuple[Kernel, ...] = (
    Kernel(
        "dpl_average_pool_s8__armv7em", op="AveragePool", when=_rows_fit_halves, order=BY_PIXELS
    ),
    Kernel("dpl_max_pool_s8__armv7em", op="MaxPool", order=BY_PIXELS),
)
