"""Transposed convolutions."""

from __future__ import annotations

from math import prod

from deployer.kernelset.cmsis_nn.convolution import ROUNDS_ONCE, two_columns
from deployer.kernelset.kernel import Kernel, KernelCase
from deployer.kernelset.layouts import WeightLayout

_DEEP_CHANNELS = 16  # above so many channels the library convolves with rotated weights


def _transposes(case: KernelCase) -> bool:
    """Outputs that its rows of sums cover, and all that it writes."""
    plain = case.groups == 1 and case.dilation == (1, 1) and case.rule in ROUNDS_ONCE
    crops = (case.pads.top, case.pads.left)
    sizes = case.in_shapes[0][1:3], case.out_shape[1:3]
    axes = zip(*sizes, case.kernel, case.stride, crops, strict=True)
    return plain and all(_covered(*axis) for axis in axes)


def _covered(inputs: int, outputs: int, kernel: int, stride: int, crop: int) -> bool:
    whole = inputs * stride
    return crop < kernel and crop <= whole <= crop + outputs <= whole + max(0, kernel - stride)


def _sums_or_weights(case: KernelCase) -> int:
    tall, wide = case.kernel
    if case.in_channels > _DEEP_CHANNELS and max(case.stride) <= 2:
        weights = prod(case.kernel) * case.in_channels * case.out_channels
        return -(-weights // 4) * 4 + two_columns(case)
    row = (case.in_shapes[0][2] - 1) * case.stride[1] + max(wide, *case.stride)
    return 4 * row * max(tall, case.stride[0]) * case.out_channels


KERNELS: tuple[Kernel, ...] = (
    Kernel(
        "dpl_conv_transpose2d_s8__cmsis_nn",
        op="ConvTranspose2d",
        when=_transposes,
        scratch=_sums_or_weights,
        weight_layout=WeightLayout.CMSIS_NN_PLAIN,
        contiguous=True,
    ),
)
