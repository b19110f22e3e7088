"""What a convolution or dense layer takes on eight cores, all of it in L1: an estimate for choosing
tiles, fitted to gap8_sim. It knows what the kernels do (kernels/pulp), not where data lies."""

from __future__ import annotations

from dataclasses import dataclass

from deployer.kernelset.kernel import KernelCase
from deployer.kernelset.layouts.fours import GROUP
from deployer.kernelset.pulp.convolution import CORES, copied, strip_bytes, words

# cycles, of instructions and the banks' and cache's conflicts together
_CALL, _ROW, _SEGMENT, _BLOCK = 500, 110, 235, 25
_PRODUCTS = 1.02 * 6  # of sixteen sums, for a byte of each window
_POINT, _ROWS, _RUN = 79, 84, 3.1  # the rest of a group: one run, several, each of them
_TABLE, _TABLE_RUN, _TAP = 118, 6.4, 120  # of a block with a table; a tap of its set-up
_STRIP, _STRIP_WORD = 210, 2.8
_NINE_BYTES, _WINDOW_ROW, _ROW_WORD, _ROW_BYTE = 165, 12, 5.5, 4.0  # copies: four windows; others
_DENSE_CALL, _DENSE_PAIR, _DENSE_ONE, _DENSE_GROUP = 190, 17.6, 9.5, 40


@dataclass(frozen=True)
class _Blocks:
    """Of a few rows that are like all others: how many blocks, and what they are."""

    rows: int
    all: int
    strips: int
    tables: int
    segments: int  # calls of the assembler


def convolution_cycles(case: KernelCase) -> int:
    """Of one call, from its begin to its slowest core's end. Tensors without gaps, rules i32 and
    shift, one group."""
    channels = -(-case.out_channels // GROUP)
    height, width = _output(case)
    items = -(-(-(-height * width // GROUP) * channels) // CORES)
    like = _blocks(case, min(height, GROUP), width)
    blocks = items / channels
    share = blocks / like.all
    tables = like.tables * share
    return round(
        _CALL
        + items * _PRODUCTS * words(_window_bytes(case))
        + (blocks - tables) * channels * _group(case)
        + tables * (channels * (_TABLE + _TABLE_RUN * _taps(case)) + _TAP * _taps(case))
        + blocks * _BLOCK
        + (blocks - tables) * _copies(case)
        + like.strips * share * _strip(case)
        + like.segments * share * _SEGMENT
        + like.rows * share * _ROW
    )


def dense_cycles(case: KernelCase) -> int:
    """The same of a dense layer."""
    groups = -(-(-(-case.out_channels // GROUP)) // CORES)
    inputs = -(-case.in_channels // 4)
    pairs, one = divmod(groups, 2)
    return round(
        _DENSE_CALL
        + inputs * (pairs * _DENSE_PAIR + one * _DENSE_ONE)
        + groups * _DENSE_GROUP
        + (3 * inputs if case.in_channels % 4 else 0)
    )


def _output(case: KernelCase) -> tuple[int, int]:
    """Pixels of a 1x1 at stride 1 are one long row."""
    height, width = case.out_shape[1:3]
    point = case.kernel == case.stride == (1, 1) and not case.pads.any and not copied(case)
    return (1, height * width) if point else (height, width)


def _blocks(case: KernelCase, height: int, width: int) -> _Blocks:
    stride, left = case.stride[1], case.pads.left
    space = case.in_shapes[0][2] - (case.kernel[1] - 1) * case.dilation[1] + left
    first, last = -(-left // stride), min(-(-space // stride), width) if height > 1 else width
    may_strip = strip_bytes(case) > 0
    strips = tables = segments = 0
    beside = False  # whether the block before was read where it lies, in the same row
    count = -(-height * width // GROUP)
    for block in range(count):
        x = GROUP * block % width
        inside = first <= x and x + GROUP <= last
        steps = x + GROUP <= width and (inside or may_strip)
        tables += not steps
        strips += steps and not inside
        segments += not (steps and inside and beside and x)
        beside = steps and inside
    return _Blocks(height, count, strips, tables, segments)


def _window_bytes(case: KernelCase) -> int:
    return case.kernel[0] * case.kernel[1] * case.in_channels


def _taps(case: KernelCase) -> int:
    return 1 if copied(case) else case.kernel[0] * case.kernel[1]


def _group(case: KernelCase) -> float:
    runs = 1 if copied(case) else case.kernel[0]
    return _POINT if runs == 1 else _ROWS + _RUN * runs


def _strip(case: KernelCase) -> float:
    return _STRIP + _STRIP_WORD * case.kernel[0] * strip_bytes(case) / 4


def _copies(case: KernelCase) -> float:
    """Of the windows of a block."""
    if not copied(case):
        return 0
    row = case.kernel[1] * case.in_channels
    if (case.kernel[0], row) == (3, 9):
        return _NINE_BYTES
    parts = _WINDOW_ROW + _ROW_WORD * (row // 4) + _ROW_BYTE * (row % 4)
    return GROUP * case.kernel[0] * parts
