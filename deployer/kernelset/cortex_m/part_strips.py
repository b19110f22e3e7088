"""Scratch and order of grouped convolutions on strips of columns for all parts."""

from __future__ import annotations

from deployer.kernelset.blocking.cortex_m import (
    CACHED_WEIGHT_BYTES,
    COLUMN_OVERREAD_BYTES,
    COLUMNS,
    MAX_STRIP_TRIPLES,
    PART_STRIP_BYTES,
    STRIP_BYTES,
)
from deployer.kernelset.kernel import KernelCase
from deployer.kernelset.layouts.parts import parts_of
from deployer.kernelset.order import AccessOrder


def part_scratch(case: KernelCase) -> int:
    """Of a convolution: all its windows are columns."""
    taps, pixels = case.kernel[0] * case.kernel[1], case.out_shape[1] * case.out_shape[2]
    return part_columns(case, taps, pixels)


def part_columns(case: KernelCase, taps: int, pixels: int) -> int:
    """A pixel of zero points, a strip of triples of int16 columns, what is read behind them."""
    values, triples = _strip(case, taps)
    pixel = -(-case.in_channels * case.element_bytes // 4) * 4
    strip = min(triples, -(-pixels // COLUMNS)) * 2 * COLUMNS * values
    return pixel + strip + COLUMN_OVERREAD_BYTES


def by_part_strips(case: KernelCase) -> AccessOrder:
    """A strip of pixels at a time."""
    triples = _strip(case, case.kernel[0] * case.kernel[1])[1]
    return AccessOrder(run=COLUMNS * triples, buffered=True)


def _strip(case: KernelCase, taps: int) -> tuple[int, int]:
    """Values of a column for all parts, and triples that are made before their outputs are."""
    depth, channels = case.in_channels // case.groups, case.out_channels // case.groups
    parts = parts_of(case.groups, depth, channels, taps)
    values = parts.count * parts.values(taps)
    cached = values * parts.outputs <= CACHED_WEIGHT_BYTES
    room = PART_STRIP_BYTES if cached else STRIP_BYTES
    return values, max(1, min(room // (2 * COLUMNS * values), MAX_STRIP_TRIPLES))
