"""Depthwise convolutions on packed rows."""

from __future__ import annotations

from dataclasses import replace

from deployer.ir import Pads
from deployer.kernelset.blocking.cortex_m import (
    RING_CHANNELS,
    RING_GROUP_BYTES,
    RING_OUTPUTS,
    TAP_CHANNELS,
    TAP_GROUP_BYTES,
    TAP_SLOT_BYTES,
    TAP_SLOTS,
)
from deployer.kernelset.kernel import Kernel, KernelCase
from deployer.kernelset.layouts import WeightLayout
from deployer.kernelset.order import AccessOrder

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


def _any_size(case: KernelCase) -> bool:
    return case.dilation == (1, 1) and case.multiplier == 1 and case.stride[1] <= 2


def _as_row(case: KernelCase) -> KernelCase:
    """One column under a kernel of one column as the row that is computed instead."""
    if not (case.kernel[1] == case.out_shape[2] == 1 and case.stride[0] <= 2):
        return case
    batch, height, width, channels = case.out_shape
    pads = Pads(case.pads.left, case.pads.top, case.pads.right, case.pads.bottom)
    return replace(
        case,
        out_shape=(batch, width, height, channels),
        kernel=case.kernel[::-1],
        stride=case.stride[::-1],
        pads=pads,
    )


def _rings(case: KernelCase) -> tuple[int, int, int]:
    """Bytes of a packed row of four channels; of their ring and weights; how many a group has."""
    (height, width), stride = case.kernel, case.stride[1]
    terms = width // 2 + 1 if stride == 1 else (width + 1) // 2
    terms += terms % 2 if terms > 3 else 0
    row = 16 * (-(-case.out_shape[2] // RING_OUTPUTS) * 2 * stride + terms)
    ring = height * row + 16 * (2 * height - 1) * terms * (2 if stride == 1 else 1)
    return row, ring, min(max(1, RING_GROUP_BYTES // ring), -(-case.in_channels // RING_CHANNELS))


def _ring_scratch(case: KernelCase) -> int:
    """A group's rings and weights, and a row for what is read beyond; in a ring the column of a
    one-column image is computed as it lies."""
    return max(count * ring + row for row, ring, count in map(_rings, (case, _as_row(case))))


KERNELS: tuple[Kernel, ...] = (
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
            when=_any_size,
            scratch=_ring_scratch,
            terms=("quad", "quad_row", "quad_taps", "packed", "row_block", "spread"),
        )
        for act in ("s8", "s16")
    ),
)
