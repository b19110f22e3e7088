"""Transposed convolutions as ordinary ones."""

from __future__ import annotations

from dataclasses import replace

from deployer.kernelset.cortex_m.convolution import one_group
from deployer.kernelset.cortex_m.strips import BLOCK_FILES, columns
from deployer.kernelset.kernel import Kernel, KernelCase
from deployer.kernelset.layouts import WeightLayout


def _transposed(case: KernelCase) -> bool:
    """No gaps between what neighbouring inputs reach."""
    steps = zip(case.kernel, case.stride, strict=True)
    return one_group(case) and case.dilation == (1, 1) and all(k >= s for k, s in steps)


def _transposed_scratch(case: KernelCase) -> int:
    """Of the largest of the convolutions it consists of; a smaller one may make longer strips, and
    so do blocks, with the weights of all remainders."""
    down, across = case.stride
    blocks = 0
    if case.kernel == case.stride:
        *image, channels = case.out_shape
        wide = replace(case, out_shape=(*image, channels * down * across))
        blocks = columns(wide, 1, case.in_shapes[0][1] * case.in_shapes[0][2])
    remainders = (
        columns(
            case,
            len(range(y, case.kernel[0], down)) * len(range(x, case.kernel[1], across)),
            -(-case.out_shape[1] // down) * -(-case.out_shape[2] // across),
        )
        for y in range(down)
        for x in range(across)
    )
    return max(blocks, *remainders)


KERNELS: tuple[Kernel, ...] = (
    Kernel(
        "dpl_conv_transpose2d_s8__armv7em",
        op="ConvTranspose2d",
        when=_transposed,
        scratch=_transposed_scratch,
        weight_layout=WeightLayout.X2C4_REMAINDERS,
        shared=BLOCK_FILES,
    ),
)
