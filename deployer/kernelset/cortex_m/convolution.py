"""Convolutions on int16 columns, three at a time."""

from __future__ import annotations

from deployer.kernelset.kernel import Kernel, KernelCase
from deployer.kernelset.order import AccessOrder

_COLUMNS = 3
_STRIP_BYTES, _CACHED_WEIGHTS, _MOST_TRIPLES = 8192, 8192, 32  # as conv2d_s8__armv7em.c has them
_BEYOND = 12  # bytes the inner loop reads behind the columns, and windows are copied too far


def one_group(case: KernelCase) -> bool:
    return case.groups == 1


def _pointwise(case: KernelCase) -> bool:
    shape = case.kernel == (1, 1) and case.stride == (1, 1) and not case.pads.any
    return shape and one_group(case) and case.in_channels % 4 == 0


def _column_scratch(case: KernelCase) -> int:
    return columns(case, case.kernel[0] * case.kernel[1], case.out_shape[1] * case.out_shape[2])


def _strip(case: KernelCase, values: int) -> int:
    """Triples of columns that are made before their outputs are."""
    if values * case.out_channels <= _CACHED_WEIGHTS:
        return 1
    return max(1, min(_STRIP_BYTES // (2 * _COLUMNS * values), _MOST_TRIPLES))


def _by_strips(case: KernelCase) -> AccessOrder:
    values = -(-case.kernel[0] * case.kernel[1] * case.in_channels // 4) * 4
    return AccessOrder(run=_COLUMNS * _strip(case, values), buffered=True)


def columns(case: KernelCase, taps: int, pixels: int) -> int:
    """A strip of triples of int16 columns, and bytes of one window that is not aligned."""
    values = -(-taps * case.in_channels // 4) * 4
    triple = 2 * _COLUMNS * values
    room = min(_strip(case, values), -(-pixels // _COLUMNS)) * triple
    return room + _BEYOND + (0 if case.in_channels % 4 == 0 else values)


_BY_PAIRS = ("pair", "fours", "column", "element")
KERNELS: tuple[Kernel, ...] = (
    Kernel(
        "dpl_conv2d_s8__armv7em_1x1",
        op="Conv2d",
        when=_pointwise,
        scratch=_column_scratch,
        weight_layout="pairs",
        order=_by_strips,
        terms=_BY_PAIRS,
    ),
    Kernel(
        "dpl_conv2d_s8__armv7em",
        op="Conv2d",
        when=one_group,
        scratch=_column_scratch,
        weight_layout="pairs",
        order=_by_strips,
        terms=(*_BY_PAIRS, "gathered", "stretch", "border"),
    ),
)
