"""Depthwise convolutions whose channels have several outputs, as planes of groups of one channel:
eight pixels by the outputs of a channel, which lie side by side."""

from __future__ import annotations

import math
from dataclasses import replace

from deployer.kernelset.access import hwc
from deployer.kernelset.blocking.neon import DEPTHWISE_CHANNELS, NARROW_BLOCK_PIXELS
from deployer.kernelset.kernel import Kernel, KernelCase
from deployer.kernelset.layouts import WeightLayout
from deployer.kernelset.layouts.taps_c8 import side_by_side
from deployer.kernelset.neon.depthwise_turn import is_column, turned
from deployer.kernelset.neon.planes import fits, scratch
from deployer.kernelset.neon.planes_choice import LEAST_GAIN, in_planes

_TAP = {"s8": 11, "s16": 15}  # cycles of four pixels of eight channels
_UNALIGNED = {"s8": 3, "s16": 6}  # more where pixels do not begin at eight bytes
_BLOCK = {"s8": 85, "s16": 85}  # of their sums' beginning and requantization
_COPIED, _COPIED_ROW = 10, 200  # of pixels and rows that go side by side
_IN_PLANES = 1.2  # of what planes are estimated to take: groups of one channel take more
_ELEMENT_BYTES, _LOAD_BYTES = {"s8": 1, "s16": 2}, 8
_INTERLEAVED = (2, 4)  # outputs a channel that a store takes in turn
_STORES, _STORES_EACH = 35, 175  # of eight channels of four pixels, one output of each


def _grouped(case: KernelCase) -> KernelCase:
    return replace(case, groups=case.in_channels)


def _in_channels(case: KernelCase) -> float:
    """Cycles where lanes are channels, or channels of pixels side by side."""
    case = turned(case) if is_column(case) else case
    rows, columns, _ = hwc(case.out_shape)
    taps = math.prod(case.kernel)
    group = side_by_side(case.in_channels, taps, case.stride)
    width = NARROW_BLOCK_PIXELS * group
    blocks = rows * -(-columns // width) if group > 1 else -(-rows * columns // width)
    pieces = -(-case.in_channels * group // DEPTHWISE_CHANNELS)
    stores = _STORES if case.multiplier in _INTERLEAVED else _STORES_EACH
    unaligned = case.in_channels * _ELEMENT_BYTES[case.act] % _LOAD_BYTES != 0
    tap = _TAP[case.act] + _UNALIGNED[case.act] * unaligned
    sums = blocks * pieces * case.multiplier * (taps * tap + _BLOCK[case.act] + stores)
    return sums + (_beside(case) if group > 1 else 0)


def _beside(case: KernelCase) -> float:
    """Of copies of pixels that go side by side."""
    rows, columns, _ = hwc(case.out_shape)
    high, wide, _ = hwc(case.in_shapes[0])
    return _COPIED * (high * wide + rows * columns) + _COPIED_ROW * rows


def _several(case: KernelCase) -> bool:
    return case.multiplier > 1 and fits(_grouped(case))


def _yields(case: KernelCase) -> bool:
    return _IN_PLANES * LEAST_GAIN * in_planes(_grouped(case)) > _in_channels(case)


KERNELS: tuple[Kernel, ...] = tuple(
    Kernel(
        f"dpl_depthwise_conv2d_{act}__armv8a_planes",
        weighed=False,
        op="DepthwiseConv2d",
        act=act,
        when=_several,
        yields=_yields,
        scratch=lambda case: scratch(_grouped(case)),
        weight_layout=WeightLayout.PLANES_DEPTHWISE,
    )
    for act in _TAP
)
