"""Transposed convolutions: an ordinary one for each remainder of the strides."""

from __future__ import annotations

from deployer.kernelset.blocking.pulp import CLUSTER_CORES as CORES
from deployer.kernelset.blocking.pulp import GROUP_CHANNELS as GROUP
from deployer.kernelset.kernel import Kernel, KernelCase
from deployer.kernelset.layouts import WeightLayout
from deployer.kernelset.pulp.windows import fills_no_words, words

_POINTER_BYTES = 4


def _no_gaps(case: KernelCase) -> bool:
    """Between what neighbouring inputs reach, so that each remainder has a tap."""
    steps = zip(case.kernel, case.stride, strict=True)
    return case.groups == 1 and case.dilation == (1, 1) and all(k >= s for k, s in steps)


def _windows(case: KernelCase) -> int:
    """For each core, of the remainder with most taps: where runs of four windows and rows begin, a
    kernel row of zero points and three pixels, and, where channels fill no words, copies of four
    windows."""
    down, across = (-(-k // s) for k, s in zip(case.kernel, case.stride, strict=True))
    row = across * case.in_channels
    taps = 1 if fills_no_words(case) else down * across
    pointers = GROUP * (taps + 1) + 2 * down + 1
    copies = GROUP * words(down * row) if fills_no_words(case) else 0
    return CORES * (pointers * _POINTER_BYTES + words(row + 3 * case.in_channels) + copies)


KERNELS: tuple[Kernel, ...] = (
    Kernel(
        "dpl_conv_transpose2d_s8__xpulpv2",
        op="ConvTranspose2d",
        when=_no_gaps,
        scratch=_windows,
        weight_layout=WeightLayout.X4C4_REMAINDERS,
        assembly=(
            "four_by_four_point.S",
            "four_by_four_rows.S",
            "four_by_four_sums.S",
            "window_columns.S",
        ),
    ),
)
