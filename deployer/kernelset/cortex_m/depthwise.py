"""Depthwise convolutions on packed rows."""

from __future__ import annotations

import math

from deployer.ir import Pads
from deployer.kernelset.blocking.cortex_m import (
    TAP_CHANNELS,
    TAP_GROUP_BYTES,
    TAP_SLOT_BYTES,
    TAP_SLOTS,
)
from deployer.kernelset.cortex_m.depthwise_plan import rows_at_once, scratch_bytes
from deployer.kernelset.kernel import Kernel, KernelCase
from deployer.kernelset.layouts import WeightLayout
from deployer.kernelset.order import BY_PIXELS, AccessOrder

_SMALL_WIDTH = 8  # columns of outputs that packed rows compute in two blocks at the most
_COLUMN_BYTES = TAP_SLOTS * TAP_SLOT_BYTES


def _depthwise_3x3(case: KernelCase) -> bool:
    shape = case.kernel == (3, 3) and case.dilation == (1, 1) and case.stride in ((1, 1), (2, 2))
    return shape and case.multiplier == 1 and case.in_channels % TAP_CHANNELS == 0


def _planes(case: KernelCase) -> tuple[int, int]:
    """Bytes of a plane of packed rows, which holds four channels, and how many a group has."""
    width, stride = case.out_shape[2], case.stride[1]
    plane = ((width - 1) * stride + 3) * _COLUMN_BYTES
    return plane, min(max(1, TAP_GROUP_BYTES // plane), case.in_channels // TAP_CHANNELS)


def _plane_scratch(case: KernelCase) -> int:
    """The planes of a group of channels, and what the inner loop reads beyond."""
    plane, planes = _planes(case)
    return planes * plane + _COLUMN_BYTES


def _by_two_rows(case: KernelCase) -> AccessOrder | None:
    """A second group of channels reads the input again, when the first is written."""
    whole = _planes(case)[1] * TAP_CHANNELS == case.in_channels
    return AccessOrder(rows=2, buffered=True) if whole else None


def _by_bands(case: KernelCase) -> AccessOrder | None:
    rows = rows_at_once(case)
    return AccessOrder(rows=rows, buffered=True) if rows else None


def _along_channels(case: KernelCase) -> bool:
    """Where packing rows costs more than it saves: strides that share few columns, and planes that
    fill few blocks of outputs."""
    few = case.stride[1] > 2 or case.out_shape[2] <= _SMALL_WIDTH
    return few and case.multiplier == 1 and case.in_channels >= TAP_CHANNELS


def _list_scratch(case: KernelCase) -> int:
    """Rows and taps of a pixel's list, those read behind it, and a pixel of zero points."""
    return 4 * (case.kernel[0] + math.prod(case.kernel) + 2) + case.in_channels


def _one_tap(case: KernelCase) -> bool:
    return case.kernel == (1, 1) and case.pads == Pads()


KERNELS: tuple[Kernel, ...] = (
    *(
        Kernel(
            f"dpl_depthwise_conv2d_{act}__armv7em_1x1",
            op="DepthwiseConv2d",
            act=act,
            when=_one_tap,
            terms=("block", "single", "row_block"),
        )
        for act in ("s8", "s16")
    ),
    Kernel(
        "dpl_depthwise_conv2d_s8__armv7em_indirect",
        op="DepthwiseConv2d",
        when=_along_channels,
        scratch=_list_scratch,
        weight_layout=WeightLayout.TAPS_C4,
        order=BY_PIXELS,
        terms=("block", "single", "mac", "edge"),
    ),
    Kernel(
        "dpl_depthwise_conv2d_s8__armv7em_3x3",
        op="DepthwiseConv2d",
        when=_depthwise_3x3,
        scratch=_plane_scratch,
        weight_layout=WeightLayout.TAPS_3X3,
        order=_by_two_rows,
        row_block=2,
        terms=("packed", "block", "tap_row", "row_block", "edge"),
    ),
    *(
        Kernel(
            f"dpl_depthwise_conv2d_{act}__armv7em",
            op="DepthwiseConv2d",
            act=act,
            scratch=scratch_bytes,
            order=_by_bands,
            terms=("quad", "quad_row", "quad_taps", "packed", "row_block", "spread"),
        )
        for act in ("s8", "s16")
    ),
)
