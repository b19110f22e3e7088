"""Scratch and order of convolutions on strips of int16 columns, as dpl/cortex_m/finish.h has."""

from __future__ import annotations

from deployer.kernelset.kernel import KernelCase
from deployer.kernelset.order import AccessOrder

_COLUMNS = 3
_STRIP_BYTES, _SHORT_STRIP_BYTES, _CACHED_WEIGHTS, _MOST_TRIPLES = 8192, 512, 8192, 32
_BEYOND = 12  # bytes the inner loop reads behind the columns, and windows are copied too far
_ALIGNED = {"s8": 4, "s16": 2}  # input channels that fill words of columns


def column_scratch(case: KernelCase) -> int:
    """Of a convolution: all its windows are columns."""
    return columns(case, case.kernel[0] * case.kernel[1], case.out_shape[1] * case.out_shape[2])


def columns(case: KernelCase, taps: int, pixels: int) -> int:
    """A strip of triples of int16 columns, and one window in bytes or halfwords where it is
    gathered first."""
    values = _values(case, taps)
    triple = 2 * _COLUMNS * values
    room = min(_strip(case, values), -(-pixels // _COLUMNS)) * triple
    gathered = 0 if case.in_channels % _ALIGNED[case.act] == 0 else values * _width(case)
    return room + _BEYOND + gathered


def by_strips(case: KernelCase) -> AccessOrder:
    """A strip of pixels at a time."""
    values = _values(case, case.kernel[0] * case.kernel[1])
    return AccessOrder(run=_COLUMNS * _strip(case, values), buffered=True)


def _values(case: KernelCase, taps: int) -> int:
    return -(-taps * case.in_channels // 4) * 4


def _width(case: KernelCase) -> int:
    return int(case.act[1:]) // 8


def _strip(case: KernelCase, values: int) -> int:
    """Triples of columns that are made before their outputs are."""
    cached = values * case.out_channels <= _CACHED_WEIGHTS
    room = _SHORT_STRIP_BYTES if cached else _STRIP_BYTES
    return max(1, min(room // (2 * _COLUMNS * values), _MOST_TRIPLES))
