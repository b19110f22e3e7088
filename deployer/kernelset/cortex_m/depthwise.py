"""Depthwise convolutions on packed rows."""

from __future__ import annotations

from deployer.kernelset.kernel import Kernel, KernelCase
from deployer.kernelset.order import AccessOrder

_PLANE_BYTES, _CHANNELS, _COLUMN_BYTES = 8192, 4, 48  # as the C file has them


def _depthwise_3x3(case: KernelCase) -> bool:
    shape = case.kernel == (3, 3) and case.dilation == (1, 1) and case.stride in ((1, 1), (2, 2))
    return shape and case.multiplier == 1 and case.in_channels % _CHANNELS == 0


def _planes(case: KernelCase) -> tuple[int, int]:
    """Bytes of a plane of packed rows, which holds four channels, and how many a group has."""
    width, stride = case.out_shape[2], case.stride[1]
    plane = ((width - 1) * stride + 3) * _COLUMN_BYTES
    return plane, min(max(1, _PLANE_BYTES // plane), case.in_channels // _CHANNELS)


def _plane_scratch(case: KernelCase) -> int:
    """The planes of a group of channels, and what the inner loop reads beyond."""
    plane, planes = _planes(case)
    return planes * plane + _COLUMN_BYTES


def _by_two_rows(case: KernelCase) -> AccessOrder | None:
    """A second group of channels reads the input again, when the first is written."""
    whole = _planes(case)[1] * _CHANNELS == case.in_channels
    return AccessOrder(rows=2, buffered=True) if whole else None


KERNELS: tuple[Kernel, ...] = (
    Kernel(
        "dpl_depthwise_conv2d_s8__armv7em_3x3",
        op="DepthwiseConv2d",
        when=_depthwise_3x3,
        scratch=_plane_scratch,
        weight_layout="taps_3x3",
        order=_by_two_rows,
        together=2,
        terms=("packed", "block", "tap_row", "row_block", "edge"),
    ),
)
