"""Convolutions: four pixels by four channels, sixteen sums in registers."""

from __future__ import annotations

from deployer.kernelset.blocking.pulp import CLUSTER_CORES as CORES
from deployer.kernelset.blocking.pulp import GROUP_CHANNELS as GROUP
from deployer.kernelset.kernel import Kernel, KernelCase
from deployer.kernelset.layouts import WeightLayout
from deployer.kernelset.order import AccessOrder
from deployer.kernelset.pulp.cycles import convolution_cycles
from deployer.kernelset.pulp.windows import (
    copied,
    covered_bytes,
    cut_by_sides,
    strip_bytes,
    table_runs,
    words,
)

_POINTER_BYTES = 4
FOUR_BY_FOUR = (
    "four_by_four_point.S",
    "four_by_four_rows.S",
    "four_by_four_sums.S",
    "four_by_four_three.S",
    "window_columns.S",
    "window_strip.S",
)


def _one_group(case: KernelCase) -> bool:
    return case.groups == 1


def _in_runs(case: KernelCase) -> bool:
    """Whether sides cut kernel rows that would be runs."""
    return case.dilation[1] == 1 and cut_by_sides(case)


def _windows(case: KernelCase) -> int:
    """Zero points for padding, and for each core where the kernel rows and the runs of four windows
    begin, a strip of what four windows cover and, where channels are no words, copies of them."""
    height, width = case.kernel
    copies = GROUP * words(height * width * case.in_channels) if copied(case) else 0
    pointers = 2 * height + 1 + GROUP * (table_runs(case) + 1)
    strip = strip_bytes(case)
    zeros = covered_bytes(case) if case.pads.any else 0
    return zeros + CORES * (pointers * _POINTER_BYTES + height * strip + copies)


KERNELS: tuple[Kernel, ...] = (
    Kernel(
        "dpl_conv2d_s8__xpulpv2",
        op="Conv2d",
        when=_one_group,
        scratch=_windows,
        weight_layout=WeightLayout.X4C4,
        order=AccessOrder(run=GROUP),
        assembly=FOUR_BY_FOUR,
        cycles=convolution_cycles,
        border_padding=_in_runs,
    ),
)
