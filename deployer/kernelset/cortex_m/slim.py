"""Kernels that take little scratch or none, between the fast ones and the portable."""

from __future__ import annotations

from deployer.kernelset.blocking.cortex_m import COLUMN_CHANNELS_S8, COLUMNS, TAP_CHANNELS
from deployer.kernelset.cortex_m.convolution import one_group
from deployer.kernelset.kernel import Kernel, KernelCase
from deployer.kernelset.layouts import WeightLayout
from deployer.kernelset.order import BY_ROWS, AccessOrder


def _three_windows(case: KernelCase) -> int:
    """As bytes; none where a window is a pixel, which is read where it lies."""
    values = case.kernel[0] * case.kernel[1] * case.in_channels
    windows = COLUMNS if case.out_shape[1] * case.out_shape[2] > 1 else 1
    return 0 if _direct(case) else windows * -(-values // 4) * 4


def _direct(case: KernelCase) -> bool:
    aligned = case.in_channels % COLUMN_CHANNELS_S8 == 0
    return case.kernel == (1, 1) and not case.pads.any and aligned


def _by_windows(case: KernelCase) -> AccessOrder | None:
    """Three pixels at a time, gathered from one row into the next. Where pixels are read where they
    lie, every pair of channels reads them again: nothing may be written over them."""
    return None if _direct(case) else AccessOrder(run=COLUMNS, buffered=True)


def _fours(case: KernelCase) -> bool:
    return case.multiplier == 1 and case.in_channels % TAP_CHANNELS == 0


KERNELS: tuple[Kernel, ...] = (
    Kernel(
        "dpl_conv2d_s8__armv7em_bytes",
        op="Conv2d",
        when=one_group,
        scratch=_three_windows,
        weight_layout=WeightLayout.X2C4,
        order=_by_windows,
        terms=("pair", "fours", "column", "stretch", "border"),
    ),
    Kernel(
        "dpl_depthwise_conv2d_s8__armv7em_direct",
        op="DepthwiseConv2d",
        when=_fours,
        order=BY_ROWS,
    ),
)
