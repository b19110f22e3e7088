"""Pools: sixteen channels of a tap at a time."""

from __future__ import annotations

from deployer.kernelset.kernel import Kernel, KernelCase
from deployer.kernelset.order import BY_PIXELS

_MOST_TAPS = 256  # as the C file has it


def _rows_fit_halves(case: KernelCase) -> bool:
    return case.rule in ("i32", "shift", "mean_even") and case.kernel[1] <= _MOST_TAPS


KERNELS: tuple[Kernel, ...] = (
    Kernel(
        "dpl_average_pool_s8__armv7em", op="AveragePool", when=_rows_fit_halves, order=BY_PIXELS
    ),
    Kernel("dpl_max_pool_s8__armv7em", op="MaxPool", order=BY_PIXELS),
)
