"""Winograd's F(2x2, 3x3): half the time or less, for 3.6 times the weight bytes and a strip."""

from __future__ import annotations

from deployer.kernelset.blocking.cortex_m import (
    MAX_STRIP_RECORDS,
    RECORD_TILES,
    TILE_POSITIONS,
    WINOGRAD_STRIP_BYTES,
)
from deployer.kernelset.cortex_m.planes_choice import has_tiles
from deployer.kernelset.kernel import Kernel, KernelCase
from deployer.kernelset.layouts import WeightLayout
from deployer.kernelset.order import AccessOrder

_FOUR = 4
_MAX_CHANNELS = 512  # far below what could wrap four times a sum of products


def _three_by_three(case: KernelCase) -> bool:
    return has_tiles(case) and case.in_channels <= _MAX_CHANNELS


def _filled(case: KernelCase) -> int:
    """Input channels in fours."""
    return -(-case.in_channels // _FOUR) * _FOUR


def _record(case: KernelCase) -> int:
    """Bytes: three tiles of int16, and int32 sums of two output channels."""
    return RECORD_TILES * TILE_POSITIONS * (2 * _filled(case) + 2 * 4)


def _strip(case: KernelCase) -> int:
    """Records made before their outputs are."""
    return max(1, min(WINOGRAD_STRIP_BYTES // _record(case), MAX_STRIP_RECORDS))


def _scratch(case: KernelCase) -> int:
    """A strip, four columns of two tiles, and a pixel of padding."""
    height, width = case.out_shape[1:3]
    tiles = -(-height // 2) * -(-width // 2)
    records = min(_strip(case), -(-tiles // RECORD_TILES))
    return records * _record(case) + (4 * 8 + 1) * _filled(case)


def _by_strips(case: KernelCase) -> AccessOrder:
    return AccessOrder(run=RECORD_TILES * _strip(case), rows=2, columns=2, buffered=True)


KERNELS: tuple[Kernel, ...] = (
    Kernel(
        "dpl_conv2d_s8__armv7em_winograd",
        op="Conv2d",
        when=_three_by_three,
        scratch=_scratch,
        weight_layout=WeightLayout.WINOGRAD,
        order=_by_strips,
        row_block=2,
        opt_in=True,
        terms=("tile_in", "tile_out", "tile_fours", "element", "border"),
    ),
)
