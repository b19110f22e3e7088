"""Depthwise convolutions: eight channels of a tap at a time, or of strips of four rows."""

from __future__ import annotations

import math
from collections.abc import Iterator

from deployer.kernelset.arguments import REAL
from deployer.kernelset.blocking.neon import (
    DEPTHWISE_CHANNELS,
    NARROW_BLOCK_PIXELS,
    SCRATCH_CORES,
    STRIDED_OUTPUTS,
)
from deployer.kernelset.kernel import Kernel, KernelCase
from deployer.kernelset.layouts import WeightLayout
from deployer.kernelset.layouts.taps_c8 import Window, copies_rows
from deployer.kernelset.neon.depthwise_tall import ORDER, is_tall, tall_bytes, tall_window
from deployer.kernelset.neon.depthwise_turn import (
    group_of,
    in_phases,
    is_column,
    is_joined,
    is_long,
    may_be_long,
    phases,
    turned,
    window_of,
)
from deployer.kernelset.order import AT_ONCE, AccessOrder

_POINTER_BYTES = 8
_ALIGNED_BYTES = 16
_TAPS_AHEAD = 2
_TABLE_BYTES = 16  # of a lane
_LOAD_BYTES = 8  # a load across a multiple takes longer
_TAP_STEP = {"s8": 2, "s16": 1, REAL: 1}
_ELEMENT_BYTES = {"s8": 1, "s16": 2, REAL: 4}


def rows_are_copied(case: KernelCase) -> bool:
    """Of a layer as it is, before rows are columns."""
    return _copied(case, window_of(case)) and not is_joined(case)


def _copied(case: KernelCase, window: Window) -> bool:
    return copies_rows(
        case.in_channels, window, unaligned=_unaligned(case), listed=_is_listed(case)
    )


def _is_listed(case: KernelCase) -> bool:
    """Whether many blocks have lists of their own, since padding cuts windows."""
    return case.pads.any and math.prod(case.out_shape[1:3]) >= STRIDED_OUTPUTS


def _unaligned(case: KernelCase) -> bool:
    """Whether pixels do not begin at eight bytes, and blocks fill a row."""
    width, block = case.out_shape[1 if is_column(case) else 2], NARROW_BLOCK_PIXELS
    fills = -(-width // block) * block * 4 <= width * 5
    return case.in_channels * _ELEMENT_BYTES[case.act] % _LOAD_BYTES != 0 and fills


def _order(case: KernelCase) -> AccessOrder:
    if is_tall(case):
        return ORDER
    group = group_of(case)
    if is_joined(case) or in_phases(case, group):
        return AT_ONCE
    if is_long(case, group) and not is_column(case):
        return AT_ONCE
    if rows_are_copied(case):
        return AccessOrder(buffered=True, once=True)
    return AccessOrder(run=NARROW_BLOCK_PIXELS)


def _words(size: int) -> int:
    return -(-size // _ALIGNED_BYTES) * _ALIGNED_BYTES


def _copies(case: KernelCase, group: int) -> int:
    """Of a core: the rows that a window covers, and one outside; a row of pixels side by side."""
    (down, across), step = case.kernel, case.stride[1]
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


def _variants(case: KernelCase, group: int) -> Iterator[KernelCase]:
    """What a layer or parts of it are taken as; a ring's rows stay rows."""
    for each in (case, *phases(case)):
        yield each
        if is_column(each) or may_be_long(each, group):
            yield turned(each)


def _list_bytes(case: KernelCase) -> int:
    """Where the taps of a block's pixels are, in pairs of int8, and of two more."""
    taps, step = math.prod(case.kernel), _TAP_STEP[case.act]
    listed = (-(-taps // step) * step + _TAPS_AHEAD) * NARROW_BLOCK_PIXELS
    return _words(listed * _POINTER_BYTES)


def _bytes(case: KernelCase, group: int, copied: bool) -> int:
    """Lists; outputs of a block whose channels have several; copies, or zero points of a pixel."""
    block = NARROW_BLOCK_PIXELS * DEPTHWISE_CHANNELS * _ELEMENT_BYTES[case.act]
    held = case.multiplier * block if case.multiplier > 1 else 0
    zeros = _words(case.in_channels * _ELEMENT_BYTES[case.act])
    more = _copies(case, group) if copied else zeros
    strips = tall_bytes(case) if tall_window(case) else 0
    return max(strips, _list_bytes(case) + held + more)


def _joined_bytes(case: KernelCase) -> int:
    """Lists, zero points of a row, and a piece of its last lanes."""
    row = _words(math.prod(case.in_shapes[0][2:]) * _ELEMENT_BYTES[case.act])
    taps = -(-math.prod(case.kernel) // _TAP_STEP[case.act]) * _TAP_STEP[case.act]
    piece = DEPTHWISE_CHANNELS * (taps * _ELEMENT_BYTES[case.act] + _TABLE_BYTES)
    return _list_bytes(case) + row + _words(piece)


def _own_bytes(case: KernelCase) -> int:
    """Rows that are joined have pixels with something between in another plan of the layer."""
    group, window = group_of(case), window_of(case)
    each = (_bytes(one, group, _copied(one, window)) for one in _variants(case, group))
    return SCRATCH_CORES * max(_joined_bytes(case) if is_joined(case) else 0, *each)


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
