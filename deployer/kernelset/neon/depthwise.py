"""Depthwise convolutions: eight channels of a tap at a time."""

from __future__ import annotations

import math

from deployer.kernelset.blocking.neon import BLOCK_PIXELS, DEPTHWISE_CHANNELS, SCRATCH_CORES
from deployer.kernelset.kernel import Kernel, KernelCase
from deployer.kernelset.layouts import WeightLayout
from deployer.kernelset.order import BY_ROWS

_POINTER_BYTES = 8


def _whole_blocks(case: KernelCase) -> bool:
    return case.multiplier == 1 and case.in_channels >= DEPTHWISE_CHANNELS


def _list_and_zeros(case: KernelCase) -> int:
    """Of each core: where a pixel's taps are, in pairs, and zero points for a block of pixels."""
    taps = math.prod(case.kernel)
    zeros = ((BLOCK_PIXELS - 1) * case.stride[1] + 1) * case.in_channels
    return SCRATCH_CORES * ((taps + taps % 2) * _POINTER_BYTES + -(-zeros // 8) * 8)


KERNELS: tuple[Kernel, ...] = (
    Kernel(
        "dpl_depthwise_conv2d_s8__armv8a",
        op="DepthwiseConv2d",
        when=_whole_blocks,
        scratch=_list_and_zeros,
        weight_layout=WeightLayout.TAPS_C8,
        order=BY_ROWS,
    ),
)
