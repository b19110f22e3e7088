"""Pools."""

from __future__ import annotations

from deployer.ir import RequantRule
from deployer.kernelset.cmsis_nn.convolution import has_tap_inside
from deployer.kernelset.kernel import Kernel, KernelCase


def _slides(case: KernelCase) -> bool:
    return case.dilation == (1, 1) and has_tap_inside(case)


def _averages(case: KernelCase) -> bool:
    return case.rule == RequantRule.MEAN and _slides(case)


def _sums(case: KernelCase) -> int:
    return 4 * case.in_channels


KERNELS: tuple[Kernel, ...] = (
    Kernel(
        "dpl_average_pool_s8__cmsis_nn",
        op="AveragePool",
        when=_averages,
        scratch=_sums,
        contiguous=True,
    ),
    Kernel("dpl_max_pool_s8__cmsis_nn", op="MaxPool", when=_slides, contiguous=True),
)
