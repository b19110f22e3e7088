"""Transposed convolutions in planes, pixels that a stride of columns covers taken as one."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from deployer.ir import Pads
from deployer.kernelset.access import hwc
from deployer.kernelset.blocking.neon import PLANE_CHANNELS, SCRATCH_CORES
from deployer.kernelset.kernel import Kernel, KernelCase
from deployer.kernelset.layouts import WeightLayout
from deployer.kernelset.neon.planes import (
    bytes_together,
    fits,
    may_join,
    no_gaps,
    scratch,
)
from deployer.kernelset.neon.planes_choice import LEAST_GAIN, in_planes, in_planes_of, pieces
from deployer.kernelset.neon.scatter import least_of_others, scattered_or_none

_FEW = 3  # outputs, which sixteen positions are summed of
_OF_FEW = 0.92  # of what convolutions of so many are estimated to take: they share lists
# cycles more of an output that has no others of its pixel beside it: of eight channels in lanes,
# of others that are not few
_SPREAD_LANES, _SPREAD = {"s8": 5.5, "s16": 2}, 0.8
# of what rows of so many pixels or more are estimated to take where nothing lies between outputs of
# one and the next: so many of a pixel are stored by turns
_SIDE_BY_SIDE, _IN_TURN, _LONG_ROW = 0.85, (1, 2, 3, 4, 6), 16
_CUT_OUTPUT = 5  # of a pixel that is partly outside, where outputs go by way of memory


@dataclass(frozen=True)
class _Row:
    """Pixels of a row that are taken as one: the first has ``cut`` columns before the output, the
    last one ``last`` inside."""

    cut: int
    count: int
    last: int
    across: int

    @property
    def ends(self) -> int:
        """How many are partly outside."""
        return (self.cut > 0) + (self.last < self.across)

    @property
    def inside(self) -> int:
        return self.count - self.ends


def _row_of(case: KernelCase) -> _Row:
    across = case.stride[1]
    cut = case.pads.left % across
    columns = hwc(case.out_shape)[1] + cut
    count = -(-columns // across)
    return _Row(cut, count, columns - (count - 1) * across, across)


def _parts(case: KernelCase, columns: int) -> Iterator[KernelCase]:
    """The convolutions that so many pixels of a row consist of, one for each remainder of the
    rows."""
    down, across = case.stride
    rows, _, channels = hwc(case.out_shape)
    taps = -(-case.kernel[1] // across)
    for y in range(down):
        yield replace(
            case,
            kernel=(len(range(y, case.kernel[0], down)), taps),
            stride=(1, 1),
            pads=Pads(),
            out_shape=(1, -(-rows // down), columns, channels * across),
        )


def _inside(case: KernelCase) -> list[KernelCase]:
    return list(_parts(case, _row_of(case).inside))


def _at_ends(case: KernelCase) -> list[KernelCase]:
    """Of one end, empty where pixels are whole."""
    return list(_parts(case, 1)) if _row_of(case).ends else []


def _may_take(case: KernelCase) -> bool:
    """Some pixels that are taken as one are whole."""
    across, left = case.stride[1], case.pads.left
    if across == 1 or left < 0 or not no_gaps(case) or _row_of(case).inside < 1:
        return False
    return all(map(fits, [*_inside(case), *_at_ends(case)]))


def _cycles(case: KernelCase) -> float:
    parts = _inside(case)
    outputs = case.out_shape[1] * case.out_shape[2] * case.out_channels
    spread = _spread(parts[0]) * outputs if case.groups > 1 else 0
    share = _OF_FEW if _most(parts[0]) <= _FEW else 1
    share *= _SIDE_BY_SIDE if _in_turn(case) else 1
    return share * in_planes_of(parts, joined=may_join(case)) + spread + _ends(case)


def _in_turn(case: KernelCase) -> bool:
    row = _row_of(case)
    few = case.groups == 1 and case.out_channels * row.across in _IN_TURN
    return few and row.inside >= _LONG_ROW


def _ends(case: KernelCase) -> float:
    """Of pixels that are partly outside, whose windows meet an input with fewer taps of a row."""
    rows, _, channels = hwc(case.out_shape)
    stored = rows * channels * case.stride[1] * _CUT_OUTPUT
    each = sum(
        in_planes(replace(part, kernel=(part.kernel[0], max(1, part.kernel[1] - 1))))
        for part in _at_ends(case)
    )
    return _row_of(case).ends * (each + stored)


def _most(part: KernelCase) -> int:
    """Of a piece of a group's outputs."""
    return max(pieces(part.out_channels // part.groups))


def _spread(part: KernelCase) -> float:
    """Of an output."""
    if _most(part) == PLANE_CHANNELS:
        return _SPREAD_LANES[part.act]
    return _SPREAD if _most(part) > _FEW else 0


def _yields(case: KernelCase) -> bool:
    others = [least_of_others(case), *scattered_or_none(case)]
    return LEAST_GAIN * _cycles(case) > min(others)


def _scratch(case: KernelCase) -> int:
    parts = _inside(case)
    together = SCRATCH_CORES * bytes_together(case, parts)
    return max(together, *map(scratch, [*parts, *_at_ends(case)]))


KERNELS: tuple[Kernel, ...] = tuple(
    Kernel(
        f"dpl_conv_transpose2d_{act}__armv8a_wide",
        weighed=False,
        op="ConvTranspose2d",
        act=act,
        when=_may_take,
        yields=_yields,
        scratch=_scratch,
        weight_layout=WeightLayout.PLANES_WIDE,
        contiguous=True,  # pixels that lie next to each other are one
    )
    for act in ("s8", "s16")
)
