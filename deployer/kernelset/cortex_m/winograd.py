"""Winograd's F(2x2, 3x3): a third of the time for 3.6 times the bytes of weights and a strip."""

from __future__ import annotations

from deployer.kernelset.cortex_m.convolution import one_group
from deployer.kernelset.kernel import Kernel, KernelCase
from deployer.kernelset.order import AccessOrder

_STRIP_BYTES, _MOST_RECORDS = 18432, 16  # as conv2d_s8__armv7em_winograd.c has them
_LANES, _POSITIONS = 3, 16  # tiles of a record, products of a tile
_MOST_CHANNELS = 512  # far below what could wrap four times a sum of products


def _three_by_three(case: KernelCase) -> bool:
    shape = (case.kernel, case.stride, case.dilation) == ((3, 3), (1, 1), (1, 1))
    channels = case.in_channels % 4 == 0 and case.in_channels <= _MOST_CHANNELS
    return shape and channels and one_group(case)


def _record(case: KernelCase) -> int:
    """Bytes: three tiles of int16, and int32 sums of two output channels."""
    return _LANES * _POSITIONS * (2 * case.in_channels + 2 * 4)


def _records(case: KernelCase) -> tuple[int, int]:
    """Of a strip, and of the output."""
    height, width = case.out_shape[1:3]
    whole = -(-(-(-height // 2) * -(-width // 2)) // _LANES)
    return min(max(1, min(_STRIP_BYTES // _record(case), _MOST_RECORDS)), whole), whole


def _scratch(case: KernelCase) -> int:
    """A strip, four columns of two tiles, and a pixel of padding."""
    return _records(case)[0] * _record(case) + (4 * 8 + 1) * case.in_channels


def _order(case: KernelCase) -> AccessOrder:
    """A strip ends in the middle of a row of tiles; its input is read before it is written."""
    strip, whole = _records(case)
    return AccessOrder(rows=0, buffered=True) if strip == whole else AccessOrder(rows=2)


KERNELS: tuple[Kernel, ...] = (
    Kernel(
        "dpl_conv2d_s8__armv7em_winograd",
        op="Conv2d",
        when=_three_by_three,
        scratch=_scratch,
        weight_layout="winograd",
        order=_order,
        together=2,
        asked=True,
    ),
)
