"""Convolutions with few values and several outputs a group: outputs in lanes."""

from __future__ import annotations

import math

from deployer.kernelset.access import hwc
from deployer.kernelset.blocking.neon import (
    GROUP_LANES,
    PLANE_PIXELS,
    SCRATCH_CORES,
    STEP_BYTES,
    WIDE_STEP_VALUES,
)
from deployer.kernelset.kernel import Kernel, KernelCase
from deployer.kernelset.layouts import WeightLayout
from deployer.kernelset.neon.groups import fits_groups
from deployer.kernelset.neon.planes import fits
from deployer.kernelset.neon.planes_choice import (
    in_blocks,
    in_groups_of,
    in_lanes,
    in_planes_of,
    in_tiles,
    shape_of,
)

_ELEMENT_BYTES = {"s8": 1, "s16": 2}
_POINTER_BYTES = 8
_FOUR, _FEWEST_OUTPUTS = 4, 3
_MOST_TAPS = 64  # whose places are listed
# cycles of four values of eight pixels and of one, by eight outputs and by up to four
_OF_FOUR = {"s8": (97, 70), "s16": (88, 60)}
_OF_ONE = {"s8": (44, 36), "s16": (34, 26)}
_TAP, _LISTED, _BLOCK = 9, 24, 90
_PIECE, _SEVERAL = 140, 60  # around sums of a piece; more where its outputs fill no eight lanes


def _able(case: KernelCase) -> bool:
    whole = not (case.in_channels % case.groups or case.out_channels % case.groups)
    several = case.out_channels // case.groups >= _FEWEST_OUTPUTS
    return whole and several and math.prod(case.kernel) <= _MOST_TAPS


def _piece(case: KernelCase, outputs: int) -> float:
    """Of eight pixels by up to eight outputs of a group."""
    shape, few = shape_of(case), outputs <= GROUP_LANES // 2
    fours, ones = divmod(shape.depth, _FOUR)
    tap = fours * _OF_FOUR[case.act][few] + ones * _OF_ONE[case.act][few] + _TAP
    return shape.taps * tap + _PIECE + _SEVERAL * (outputs < GROUP_LANES)


def _cycles(case: KernelCase) -> float:
    """Of all groups."""
    shape, (rows, columns, _) = shape_of(case), hwc(case.out_shape)
    whole, left = divmod(shape.outputs, GROUP_LANES)
    group = whole * _piece(case, GROUP_LANES) + (_piece(case, left) if left else 0)
    blocks = -(-rows * columns // PLANE_PIXELS)
    return blocks * (shape.taps * _LISTED + _BLOCK + case.groups * group)


def _yields(case: KernelCase) -> bool:
    others = [in_blocks(case)]
    if fits(case):
        others.append(in_planes_of([case], joined=False))
    if fits_groups(case):
        others.append(in_groups_of([case], joined=False))
    if shape_of(case).depth >= WIDE_STEP_VALUES:
        others.append(in_lanes(case))
    return in_tiles(case) or _cycles(case) > min(others)


def _scratch(case: KernelCase) -> int:
    """Of each core: where taps lie, as many places behind them, and a pixel of zero points."""
    pixel = -(-case.in_channels * _ELEMENT_BYTES[case.act] // STEP_BYTES) * STEP_BYTES
    places = (math.prod(case.kernel) + 1) * PLANE_PIXELS
    return SCRATCH_CORES * (places * _POINTER_BYTES + pixel)


KERNELS: tuple[Kernel, ...] = tuple(
    Kernel(
        f"dpl_conv2d_{act}__armv8a_outputs",
        weighed=False,
        op="Conv2d",
        act=act,
        when=_able,
        yields=_yields,
        scratch=_scratch,
        weight_layout=WeightLayout.OUTPUTS,
    )
    for act in _ELEMENT_BYTES
)
