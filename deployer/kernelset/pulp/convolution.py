"""Convolutions: four pixels by four channels, sixteen sums in registers."""

from __future__ import annotations

from deployer.kernelset.kernel import Kernel, KernelCase
from deployer.kernelset.layouts.fours import GROUP
from deployer.kernelset.order import AccessOrder
from deployer.kernelset.pulp import cycles

CORES, _POINTER = 8, 4  # of GAP8's cluster; bytes
FOURS = (
    "fours_point.S",
    "fours_rows.S",
    "fours_sums.S",
    "window_columns.S",
    "window_strip.S",
)
_STRIP = 1024  # as dpl/pulp/windows.h has it


def _one_group(case: KernelCase) -> bool:
    return case.groups == 1


def words(size: int) -> int:
    """Bytes in whole words."""
    return -(-size // 4) * 4


def _windows(case: KernelCase) -> int:
    """Zero points for padding, and for each core where the kernel rows and the runs of four windows
    begin, a strip of what four windows cover and, where channels are no words, copies of them."""
    height, width = case.kernel
    copies = GROUP * words(height * width * case.in_channels) if _copied(case) else 0
    taps = 1 if _copied(case) else height * width
    pointers = 2 * height + 1 + GROUP * (taps + 1)
    strip = _strip(case)
    zeros = max(strip, words(case.in_channels)) if case.pads.any else 0
    return zeros + CORES * (pointers * _POINTER + height * strip + copies)


def _copied(case: KernelCase) -> bool:
    return case.in_channels % 4 != 0


def _strip(case: KernelCase) -> int:
    """Bytes of a strip's row: none where all rows of it would be many."""
    row = words((3 * case.stride[1] + case.kernel[1]) * case.in_channels)
    made = _copied(case) or row * case.kernel[0] <= _STRIP
    return row if made and case.pads.any else 0


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
