"""Transposed convolutions: an ordinary one for each remainder of the strides."""

from __future__ import annotations

from deployer.kernelset.kernel import Kernel, KernelCase
from deployer.kernelset.layouts.fours import GROUP
from deployer.kernelset.pulp.convolution import FOURS
from deployer.kernelset.pulp.windows import CORES, words

_POINTER = 4  # bytes


def _no_gaps(case: KernelCase) -> bool:
    """Between what neighbouring inputs reach, so that each remainder has a tap."""
    steps = zip(case.kernel, case.stride, strict=True)
    return case.groups == 1 and case.dilation == (1, 1) and all(k >= s for k, s in steps)


def _windows(case: KernelCase) -> int:
    """For each core, of the remainder with most taps: where runs of four windows and rows begin, a
    kernel row of zero points and, where channels fill no words, copies of four windows."""
    down, across = (-(-k // s) for k, s in zip(case.kernel, case.stride, strict=True))
    row = across * case.in_channels
    copies = GROUP * words(down * row) if case.in_channels % 4 else 0
    return CORES * ((GROUP * down * across + down) * _POINTER + words(row) + copies)


KERNELS: tuple[Kernel, ...] = (
    Kernel(
        "dpl_conv_transpose2d_s8__xpulpv2",
        op="ConvTranspose2d",
        when=_no_gaps,
        scratch=_windows,
        weight_layout="fours_remainders",
        assembly=FOURS,
    ),
)
