"""How the kernels of a depthwise convolution cut it (kernels/include/dpl/cortex_m/
depthwise_plan.h): the bytes of scratch follow from it."""

from __future__ import annotations

from dataclasses import replace

from deployer.ir import Pads
from deployer.kernelset.blocking.cortex_m import (
    RING_BAND_ROWS,
    RING_CHANNELS,
    RING_GROUP_BYTES,
    RING_OUTPUTS,
    RING_ROOM_BLOCKS,
)
from deployer.kernelset.kernel import KernelCase

_WORD = 4
_BLOCK_BYTES = 12
_ROOM_BYTES = (RING_ROOM_BLOCKS + 1) * _BLOCK_BYTES + RING_ROOM_BLOCKS * RING_OUTPUTS * _WORD


def _phases(case: KernelCase) -> tuple[int, ...]:
    """Outputs of a row in each phase, where windows of neighbours overlap; otherwise all."""
    count = case.dilation[1] if case.stride[1] == 1 else 1
    return tuple((case.out_shape[2] - n + count - 1) // count for n in range(count))


def _blocks(outputs: int) -> int:
    return -(-outputs // RING_OUTPUTS)


def _line(case: KernelCase) -> tuple[int, int, int]:
    """Lines of a packed row; words of a line; words of an output channel's weights."""
    (tall, wide), pairs = case.kernel, (case.kernel[1] + 1) // 2
    blocks = _blocks(_phases(case)[0])
    if case.stride[1] == 1:
        terms = wide // 2 + 1
        terms += terms % 2 if terms > 3 else 0
        words = (blocks * 2 + terms) * RING_CHANNELS
        return case.dilation[1], words, tall * terms * (1 if terms == 2 else 2)
    one = case.stride[1] == 2 and case.dilation[1] == 1 and pairs <= 3
    lines, terms = (1, pairs) if one else (pairs, 1)
    return lines, (blocks * RING_OUTPUTS + terms) * RING_CHANNELS, tall * pairs


def _rows(case: KernelCase) -> tuple[int, int]:
    """Rows of a plane: those of one output row, and what each further one adds."""
    kernel, stride, dilation = case.kernel[0], case.stride[0], case.dilation[0]
    return kernel * dilation, stride if dilation > 1 else min(stride, kernel)


def _cut(case: KernelCase) -> tuple[int, int, int]:
    """Bytes of scratch, planes of a group of channels, and output rows of a band."""
    lines, line, weights = _line(case)
    first, further = _rows(case)
    height, row = case.out_shape[1], _WORD * lines * line
    own = first * row + _WORD * RING_CHANNELS * case.multiplier * weights
    wanted = own + (min(height, RING_BAND_ROWS) - 1) * further * row
    all_planes = -(-case.in_channels // RING_CHANNELS)
    planes = max(1, min(all_planes, RING_GROUP_BYTES // wanted))
    left = RING_GROUP_BYTES // planes - own
    rows = min(RING_BAND_ROWS, 1 + max(0, left) // (further * row))
    band = -(-height // -(-height // rows))
    blocks = band * sum(map(_blocks, _phases(case)))
    lists = (blocks + 2) * _BLOCK_BYTES + _ROOM_BYTES
    return lists + planes * (own + (band - 1) * further * row) + _WORD * line, planes, band


def turned(case: KernelCase) -> KernelCase:
    """The case with rows for columns."""
    batch, height, width, channels = case.out_shape
    pads = case.pads
    return replace(
        case,
        out_shape=(batch, width, height, channels),
        kernel=case.kernel[::-1],
        stride=case.stride[::-1],
        dilation=case.dilation[::-1],
        pads=Pads(pads.left, pads.top, pads.right, pads.bottom),
    )


def _products(case: KernelCase) -> int:
    """What the blocks of the image take, rows computed as they lie."""
    dilation = case.dilation[1]
    blocks = _blocks(-(-case.out_shape[2] // dilation)) * dilation * case.out_shape[1]
    return case.kernel[0] * (case.kernel[1] // 2 + 1) * blocks


def turns(case: KernelCase) -> bool:
    """Whether columns fill blocks better than rows; nevertheless those of a ring stay rows."""
    alike = case.stride[0] == case.stride[1]
    return alike and 5 * _products(turned(case)) < 4 * _products(case)


def scratch_bytes(case: KernelCase) -> int:
    """For the image as it lies and, where that is better, for rows as columns."""
    own = _cut(case)[0]
    return max(own, _cut(turned(case))[0]) if turns(case) else own


def rows_at_once(case: KernelCase) -> int:
    """Output rows whose input is packed before they are written; 0 if another group of channels
    reads it again, or where columns may be rows."""
    _, planes, band = _cut(case)
    return 0 if turns(case) or planes * RING_CHANNELS < case.in_channels else band
