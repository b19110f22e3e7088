"""Depthwise convolutions as planes of groups of one channel: eight pixels by the outputs of a
channel, of which there are several, or whose channels are few."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

from deployer.kernelset.access import hwc
from deployer.kernelset.blocking.neon import DEPTHWISE_CHANNELS, NARROW_BLOCK_PIXELS
from deployer.kernelset.kernel import Kernel, KernelCase
from deployer.kernelset.layouts import WeightLayout
from deployer.kernelset.neon.depthwise import rows_are_copied
from deployer.kernelset.neon.depthwise_tall import is_tall
from deployer.kernelset.neon.depthwise_turn import (
    group_of,
    in_phases,
    is_column,
    is_joined,
    is_long,
    joined,
    turned,
)
from deployer.kernelset.neon.planes import fits, scratch
from deployer.kernelset.neon.planes_choice import LEAST_GAIN, in_planes

_GROUP = 150  # cycles more than planes of as many groups are estimated to take, of each
_ELEMENT_BYTES, _LOAD_BYTES = {"s8": 1, "s16": 2}, 8
_IN_REGISTERS = (1, 2, 4)  # outputs a channel that stay there until they are stored by turns
_STORES_EACH = 140  # more of others, by way of memory


@dataclass(frozen=True)
class _Cycles:
    """Of four pixels of eight channels: a tap, more where pixels do not begin at eight bytes, and
    what is around taps. Of lists a tap, of copies a pixel and a row."""

    tap: float
    unaligned: float
    around: float
    listed: float
    copied: float
    row: float


_SINGLE = {  # channels of one output each
    "s8": _Cycles(tap=12.2, unaligned=4.5, around=72, listed=12, copied=6.5, row=0),
    "s16": _Cycles(tap=14, unaligned=5.5, around=100, listed=35, copied=2, row=0),
}
_SEVERAL = {
    "s8": _Cycles(tap=11.5, unaligned=4, around=90, listed=20, copied=7, row=0),
    "s16": _Cycles(tap=12.6, unaligned=2, around=85, listed=16, copied=7, row=300),
}


def _grouped(case: KernelCase) -> KernelCase:
    return replace(case, groups=case.in_channels)


def _in_channels(case: KernelCase) -> float:
    """Cycles where lanes are channels, or channels of pixels side by side."""
    if is_joined(case):
        return _in_rows(case)
    group, copied = group_of(case), rows_are_copied(case)
    case = turned(case) if is_column(case) else case
    by = (_SEVERAL if case.multiplier > 1 else _SINGLE)[case.act]
    rows, columns, _ = hwc(case.out_shape)
    taps = math.prod(case.kernel)
    width = NARROW_BLOCK_PIXELS * group
    blocks = rows * -(-columns // width) if copied else -(-rows * columns // width)
    pieces = -(-case.in_channels * group // DEPTHWISE_CHANNELS)
    pixel_bytes = case.in_channels * _ELEMENT_BYTES[case.act]
    unaligned = group > 1 or (not copied and pixel_bytes % _LOAD_BYTES != 0)
    stores = 0 if case.multiplier in _IN_REGISTERS else _STORES_EACH
    sums = taps * (by.tap + by.unaligned * unaligned) + by.around + stores
    lists = (rows if copied else blocks) * taps * by.listed
    return blocks * pieces * case.multiplier * sums + lists + copied * _copying(case, by, group)


def _in_rows(case: KernelCase) -> float:
    """Cycles where a row is one pixel; blocks at the sides have lists of their own."""
    by, (rows, columns, channels) = _SINGLE[case.act], hwc(case.out_shape)
    taps, lanes = math.prod(case.kernel), columns * channels
    unaligned = lanes * _ELEMENT_BYTES[case.act] % _LOAD_BYTES != 0
    pieces = -(-lanes // DEPTHWISE_CHANNELS)
    sums = taps * (by.tap + by.unaligned * unaligned) + by.around
    lists = -(-taps // NARROW_BLOCK_PIXELS) + 1
    return -(-rows // NARROW_BLOCK_PIXELS) * pieces * sums + lists * taps * by.listed


def _copying(case: KernelCase, by: _Cycles, group: int) -> float:
    """Rows of the input, and of pixels side by side those of the output."""
    rows, columns, _ = hwc(case.out_shape)
    high, wide, _ = hwc(case.in_shapes[0])
    return by.copied * (high * wide + (group > 1) * rows * columns) + by.row * rows


def _may_take(case: KernelCase) -> bool:
    """Channels of several outputs, or of one that are few or no eights and go in no strips."""
    odd, one = group_of(case) > 1, joined(case) if is_joined(case) else case
    group = 1 if is_joined(case) else group_of(case)
    strips = is_tall(case) or in_phases(one, group) or is_long(one, group)
    return fits(_grouped(case)) and (case.multiplier > 1 or (odd and not strips))


def _yields(case: KernelCase) -> bool:
    planes = in_planes(_grouped(case)) + _GROUP * case.in_channels
    return LEAST_GAIN * planes > _in_channels(case)


KERNELS: tuple[Kernel, ...] = tuple(
    Kernel(
        f"dpl_depthwise_conv2d_{act}__armv8a_planes",
        weighed=False,
        op="DepthwiseConv2d",
        act=act,
        when=_may_take,
        yields=_yields,
        scratch=lambda case: scratch(_grouped(case)),
        weight_layout=WeightLayout.PLANES_DEPTHWISE,
    )
    for act in _ELEMENT_BYTES
)
