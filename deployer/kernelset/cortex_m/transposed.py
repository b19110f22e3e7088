"""Transposed convolutions as ordinary ones."""

from __future__ import annotations

from deployer.kernelset.cortex_m.convolution import one_group
from deployer.kernelset.cortex_m.strips import columns
from deployer.kernelset.kernel import Kernel, KernelCase


def _transposed(case: KernelCase) -> bool:
    """No gaps between what neighbouring inputs reach."""
    steps = zip(case.kernel, case.stride, strict=True)
    return one_group(case) and case.dilation == (1, 1) and all(k >= s for k, s in steps)


def _transposed_scratch(case: KernelCase) -> int:
    """Of the largest of the convolutions it consists of; a smaller one may make longer strips."""
    down, across = case.stride
    return max(
        columns(
            case,
            len(range(y, case.kernel[0], down)) * len(range(x, case.kernel[1], across)),
            -(-case.out_shape[1] // down) * -(-case.out_shape[2] // across),
        )
        for y in range(down)
        for x in range(across)
    )


KERNELS: tuple[Kernel, ...] = (
    Kernel(
        "dpl_conv_transpose2d_s8__armv7em",
        op="ConvTranspose2d",
        when=_transposed,
        scratch=_transposed_scratch,
        weight_layout="remainders",
    ),
)
