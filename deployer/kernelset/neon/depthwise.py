"""Depthwise convolutions: eight channels of a tap at a time, or of strips of four rows."""

from __future__ import annotations

import math
from collections.abc import Iterator

from deployer.kernelset.arguments import REAL
from deployer.kernelset.blocking.neon import (
    DEPTHWISE_CHANNELS,
    NARROW_BLOCK_PIXELS,
    SCRATCH_CORES,
)
from deployer.kernelset.kernel import Kernel, KernelCase
from deployer.kernelset.layouts import WeightLayout
from deployer.kernelset.layouts.taps_c8 import copies_rows, side_by_side
from deployer.kernelset.neon.depthwise_tall import ORDER, is_tall, tall_bytes, tall_window
from deployer.kernelset.neon.depthwise_turn import (
    in_phases,
    is_column,
    is_long,
    joined,
    may_be_long,
    phases,
    turned,
)
from deployer.kernelset.order import AT_ONCE, AccessOrder

_POINTER_BYTES = 8
_ALIGNED_BYTES = 16
_TAPS_AHEAD = 2
_LOAD_BYTES = 8  # a load across a multiple takes longer
_TAP_STEP = {"s8": 2, "s16": 1, REAL: 1}
_ELEMENT_BYTES = {"s8": 1, "s16": 2, REAL: 4}


def rows_are_copied(case: KernelCase) -> bool:
    width = case.out_shape[1 if is_column(case) else 2]
    block = NARROW_BLOCK_PIXELS
    fills = -(-width // block) * block * 4 <= width * 5
    unaligned = case.in_channels * _ELEMENT_BYTES[case.act] % _LOAD_BYTES != 0 and fills
    taps = math.prod(case.kernel)
    return copies_rows(case.in_channels, taps, case.stride, unaligned=unaligned)


def _order(case: KernelCase) -> AccessOrder:
    if is_tall(case):
        return ORDER
    if joined(case) is not case:
        return AT_ONCE
    if in_phases(case) or (is_long(case) and not is_column(case)):
        return AT_ONCE
    if rows_are_copied(case):
        return AccessOrder(buffered=True, once=True)
    return AccessOrder(run=NARROW_BLOCK_PIXELS)


def _words(size: int) -> int:
    return -(-size // _ALIGNED_BYTES) * _ALIGNED_BYTES


def _copies(case: KernelCase) -> int:
    """Of a core: the rows that a window covers, and one outside; a row of pixels side by side."""
    (down, across), step = case.kernel, case.stride[1]
    group = side_by_side(case.in_channels, math.prod(case.kernel), case.stride)
    phases = step if group > 1 else 1
    element, width = _ELEMENT_BYTES[case.act], case.out_shape[2]
    pixel = case.in_channels * element
    if group == 1:
        pixel = -(-pixel // _LOAD_BYTES) * _LOAD_BYTES
    columns = (width - 1) * step + (across - 1) * case.dilation[1] + 1
    row = phases * _words((-(-columns // phases) + group - 1) * pixel)
    rows = (down - 1) * case.dilation[0] + 1 + bool(case.pads.top or case.pads.bottom)
    beside = max(width, NARROW_BLOCK_PIXELS * group) * case.out_channels * element
    return rows * row + (_words(beside) if group > 1 else 0)


def _variants(case: KernelCase) -> Iterator[KernelCase]:
    """What a layer or parts of it are taken as; a ring's rows stay rows."""
    one = joined(case)
    for each in (case, *phases(case), one, *phases(one)):
        yield each
        if is_column(each) or may_be_long(each):
            yield turned(each)


def _bytes(case: KernelCase) -> int:
    """Where the taps of a block's pixels are, in pairs of int8, and of two more; outputs of a block
    whose channels have several; and copies, or zero points of a pixel."""
    taps, step = math.prod(case.kernel), _TAP_STEP[case.act]
    listed = (-(-taps // step) * step + _TAPS_AHEAD) * NARROW_BLOCK_PIXELS
    block = NARROW_BLOCK_PIXELS * DEPTHWISE_CHANNELS * _ELEMENT_BYTES[case.act]
    held = case.multiplier * block if case.multiplier > 1 else 0
    more = _words(case.in_channels * _ELEMENT_BYTES[case.act])
    if rows_are_copied(case):
        more = _copies(case)
    strips = tall_bytes(case) if tall_window(case) else 0
    return max(strips, _words(listed * _POINTER_BYTES) + held + more)


def _own_bytes(case: KernelCase) -> int:
    return SCRATCH_CORES * max(map(_bytes, _variants(case)))


_LAYOUTS = {
    "s8": WeightLayout.TAPS_C8,
    "s16": WeightLayout.TAPS_C8_WIDE,
    REAL: WeightLayout.TAPS_C8_FLOATS,
}
KERNELS: tuple[Kernel, ...] = tuple(
    Kernel(
        f"dpl_depthwise_conv2d_{act}__armv8a",
        op="DepthwiseConv2d",
        act=act,
        weights=REAL if act == REAL else "s8",
        scratch=_own_bytes,
        weight_layout=layout,
        order=_order,
    )
    for act, layout in _LAYOUTS.items()
)
