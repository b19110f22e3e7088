"""Winograd's F(2x2, 3x3): 2.25 times fewer products, of int16, for 3.6 times the weight bytes."""

from __future__ import annotations

from deployer.kernelset.access import hwc
from deployer.kernelset.blocking.neon import (
    SCRATCH_CORES,
    TRANSFORMED_STRIP_BYTES,
    TRANSFORMED_STRIP_TILES,
    WIDE_BLOCK_CHANNELS,
    WIDE_STEP_VALUES,
    WINOGRAD_POSITIONS,
    WINOGRAD_TILES,
)
from deployer.kernelset.kernel import Kernel, KernelCase
from deployer.kernelset.layouts import WeightLayout
from deployer.kernelset.order import AccessOrder

_MAX_CHANNELS = 3640  # four times a sum of nine products each stays below 2^31


def _three_by_three(case: KernelCase) -> bool:
    shape = (case.kernel, case.stride, case.dilation) == ((3, 3), (1, 1), (1, 1))
    return shape and case.groups == 1 and case.in_channels <= _MAX_CHANNELS


def _tile_bytes(case: KernelCase) -> int:
    """Of a transformed tile."""
    values = -(-case.in_channels // WIDE_STEP_VALUES) * WIDE_STEP_VALUES
    return WINOGRAD_POSITIONS * values * 2


def _strip_tiles(case: KernelCase) -> int:
    """In whole blocks."""
    rows, columns, _ = hwc(case.out_shape)
    every = -(-rows // 2) * -(-columns // 2)
    fit = min(TRANSFORMED_STRIP_BYTES // _tile_bytes(case), TRANSFORMED_STRIP_TILES)
    blocks = min(max(1, fit // WINOGRAD_TILES), -(-every // WINOGRAD_TILES))
    return blocks * WINOGRAD_TILES


def _strips(case: KernelCase) -> int:
    """Of each core a strip, and the sums of a block by the channels of a piece."""
    sums = WINOGRAD_POSITIONS * WINOGRAD_TILES * WIDE_BLOCK_CHANNELS * 4
    return SCRATCH_CORES * (_strip_tiles(case) * _tile_bytes(case) + sums)


def _by_strips(case: KernelCase) -> AccessOrder:
    return AccessOrder(run=_strip_tiles(case), rows=2, columns=2, buffered=True)


KERNELS: tuple[Kernel, ...] = (
    Kernel(
        "dpl_conv2d_s8__armv8a_winograd",
        op="Conv2d",
        when=_three_by_three,
        scratch=_strips,
        weight_layout=WeightLayout.X8_WINOGRAD,
        order=_by_strips,
        row_block=2,
        opt_in=True,
        terms=("eights_in", "eights_out", "eights"),
    ),
)
