"""Convolutions: four pixels by four channels, sixteen sums in registers."""

from __future__ import annotations

from deployer.kernelset.kernel import Kernel, KernelCase
from deployer.kernelset.layouts.fours import GROUP
from deployer.kernelset.order import AccessOrder
from deployer.kernelset.pulp import cycles

CORES, _POINTER = 8, 4  # of GAP8's cluster; bytes
FOURS = ("fours_outputs.S", "fours_sums.S")
_COPIED = 512  # as dpl/pulp/windows.h has it


def _one_group(case: KernelCase) -> bool:
    return case.groups == 1


def words(size: int) -> int:
    """Bytes in whole words."""
    return -(-size // 4) * 4


def _windows(case: KernelCase) -> int:
    """For each core where runs of four windows and rows begin, a kernel row of zero points and,
    unless windows are large and made of words, copies of four."""
    height, width = case.kernel
    row = width * case.in_channels
    copied = case.in_channels % 4 or height * row <= _COPIED
    copies = GROUP * words(height * row) if copied else 0
    pointers = GROUP * height * width + height
    return CORES * (pointers * _POINTER + words(row) + copies)


KERNELS: tuple[Kernel, ...] = (
    Kernel(
        "dpl_conv2d_s8__xpulpv2",
        op="Conv2d",
        when=_one_group,
        scratch=_windows,
        weight_layout="fours",
        order=AccessOrder(run=GROUP),
        assembly=FOURS,
        cycles=cycles.conv2d,
    ),
)
