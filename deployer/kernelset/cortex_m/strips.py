"""Scratch and order of convolutions on strips of columns."""

from __future__ import annotations

from deployer.kernelset.blocking.cortex_m import (
    CACHED_WEIGHT_BYTES,
    COLUMN_CHANNELS_S8,
    COLUMN_CHANNELS_S16,
    COLUMN_OVERREAD_BYTES,
    COLUMNS,
    MAX_STRIP_TRIPLES,
    SHORT_STRIP_BYTES,
    STRIP_BYTES,
)
from deployer.kernelset.kernel import KernelCase
from deployer.kernelset.order import AccessOrder

# C files of two output channels by three columns
BLOCK_SUMS = "sum_2x3__armv7em.c"
BOUNDS = "bound_pixels_s8__armv7em.c"  # of int8 outputs
BLOCK_FILES = (BLOCK_SUMS, "high_triples_s8__armv7em.c", BOUNDS)
ROW_BOUNDS = {act: (f"bound_rows_{act}__armv7em.c",) for act in ("s8", "s16")}  # of depthwise
ALIGNED = {"s8": COLUMN_CHANNELS_S8, "s16": COLUMN_CHANNELS_S16}


def column_scratch(case: KernelCase) -> int:
    """Of a convolution: all its windows are columns."""
    return columns(case, case.kernel[0] * case.kernel[1], case.out_shape[1] * case.out_shape[2])


def columns(case: KernelCase, taps: int, pixels: int) -> int:
    """A strip of triples of int16 columns, and three windows in bytes or halfwords where they are
    gathered first, a word behind each."""
    triples = strip_triples(_values(case, taps), case.out_channels)
    return _columns(case, taps, min(triples, -(-pixels // COLUMNS)))


def triple_scratch(case: KernelCase) -> int:
    """Of a convolution that makes the columns of three pixels at a time."""
    return _columns(case, case.kernel[0] * case.kernel[1], 1)


def several_triples(case: KernelCase) -> bool:
    """Whether a strip of ``case`` holds more than one triple."""
    values = _values(case, case.kernel[0] * case.kernel[1])
    return strip_triples(values, case.out_channels) > 1


def _columns(case: KernelCase, taps: int, triples: int) -> int:
    values = _values(case, taps)
    room = triples * 2 * COLUMNS * values
    if case.in_channels % ALIGNED[case.act] == 0:
        return room + COLUMN_OVERREAD_BYTES
    return room + COLUMN_OVERREAD_BYTES + COLUMNS * (values * case.element_bytes + 4)


def by_strips(case: KernelCase) -> AccessOrder:
    """A strip of pixels at a time."""
    values = _values(case, case.kernel[0] * case.kernel[1])
    return AccessOrder(run=COLUMNS * strip_triples(values, case.out_channels), buffered=True)


def _values(case: KernelCase, taps: int) -> int:
    return -(-taps * case.in_channels // 4) * 4


def strip_triples(values: int, channels: int) -> int:
    """Triples of columns of so many values, a multiple of four, that are made before their outputs
    are."""
    cached = values * channels <= CACHED_WEIGHT_BYTES
    room = SHORT_STRIP_BYTES if cached else STRIP_BYTES
    return max(1, min(room // (2 * COLUMNS * values), MAX_STRIP_TRIPLES))
