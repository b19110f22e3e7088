"""Layers with weights."""

from __future__ import annotations

from math import prod

from deployer.ir import AFFINE, RequantRule
from deployer.kernelset.kernel import Kernel, KernelCase
from deployer.kernelset.layouts import WeightLayout

# one rounding shift each; q16 floors twice
ROUNDS_ONCE = (RequantRule.Q31, RequantRule.Q32, *AFFINE)


def has_tap_inside(case: KernelCase) -> bool:
    """Whether every window has a tap inside: the library counts on it."""
    pads, (tall, wide) = case.pads, case.kernel
    return max(pads.top, pads.bottom) < tall and max(pads.left, pads.right) < wide


def _convolves(case: KernelCase) -> bool:
    return case.rule in ROUNDS_ONCE and has_tap_inside(case)


def _depthwise(case: KernelCase) -> bool:
    """Its 3x3 kernel always reads the middle column."""
    narrow = _three(case) and case.pads.right > 1
    return _convolves(case) and not narrow


def _plain_point(case: KernelCase) -> bool:
    alone = case.kernel == (1, 1) and case.dilation == (1, 1) and case.groups == 1
    return alone and (case.pads.top, case.pads.left) == (0, 0)


def two_columns(case: KernelCase) -> int:
    """int16 of two windows."""
    return 2 * 2 * (-(-prod(case.kernel) * case.in_channels // 4) * 4)


def _columns(case: KernelCase) -> int:
    """A 1x1 convolution reads its input where it lies."""
    return 0 if _plain_point(case) else two_columns(case)


def _three(case: KernelCase) -> bool:
    """Whether the library has a function of its own for it."""
    plain = case.kernel == (3, 3) and case.dilation == (1, 1) and case.multiplier == 1
    return plain and case.pads.top <= 1 and case.pads.left <= 1


def _window(case: KernelCase) -> int:
    """int16 of a window in all channels."""
    packed = case.multiplier == 1 and case.dilation == (1, 1) and not _three(case)
    return 2 * prod(case.kernel) * case.in_channels if packed else 0


KERNELS: tuple[Kernel, ...] = (
    Kernel(
        "dpl_conv2d_s8__cmsis_nn",
        op="Conv2d",
        when=_convolves,
        scratch=_columns,
        weight_layout=WeightLayout.CMSIS_NN,
        contiguous=True,
    ),
    Kernel(
        "dpl_depthwise_conv2d_s8__cmsis_nn",
        op="DepthwiseConv2d",
        when=_depthwise,
        scratch=_window,
        weight_layout=WeightLayout.CMSIS_NN,
        contiguous=True,
    ),
    Kernel(
        "dpl_fully_connected_s8__cmsis_nn",
        op="FullyConnected",
        when=lambda case: case.rule in ROUNDS_ONCE,
        weight_layout=WeightLayout.CMSIS_NN,
        contiguous=True,
    ),
)
