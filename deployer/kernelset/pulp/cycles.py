"""What a convolution or fully connected layer takes on eight cores, all of it in L1: an estimate
for choosing tiles, fitted to gap8_sim. It knows what the kernels do (kernels/pulp), not where data
lies."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum
from functools import lru_cache

from deployer.ir import AFFINE
from deployer.kernelset.blocking.pulp import CLUSTER_CORES as CORES
from deployer.kernelset.blocking.pulp import GROUP_CHANNELS as GROUP
from deployer.kernelset.blocking.pulp import SLICED_GROUPS
from deployer.kernelset.kernel import KernelCase
from deployer.kernelset.pulp.interior_cycles import HIGH_RULES, interior_cycles, is_interior
from deployer.kernelset.pulp.windows import copied, strip_bytes, words

# cycles, of instructions and the banks' and cache's conflicts together
_CALL, _ROW, _SEGMENT, _BLOCK = 500, 110, 235, 25
_PRODUCTS = 1.02 * 6  # of sixteen sums, for a byte of each window
_POINT, _ROWS, _RUN = 79, 84, 3.1  # the rest of a group: one run, several, each of them
_TABLE, _TABLE_RUN, _TAP = 118, 6.4, 100  # of a block with a table; a tap of its set-up
_STRIP, _STRIP_WORD = 210, 2.8
_NINE_BYTES, _WINDOW_ROW, _ROW_WORD, _ROW_BYTE = 165, 12, 5.5, 4.0  # copies: four windows; others
_LONE_ROW = 120  # of a window that is copied alone
# Of slices: of all, of a group's sums, and of those of all cores added up.
_SLICES, _SLICE, _ADD_UP = 260, 22, 200
_FC_CALL, _FC_PAIR, _FC_ONE, _FC_GROUP = 190, 17.6, 9.5, 40
_SPLIT, _BOTH = 10, 14.4  # four values of int16: in two planes; their products of four channels
_LOOKED_AT = 256  # blocks; more are like those


@lru_cache(maxsize=1 << 17)
def convolution_cycles(case: KernelCase) -> int:
    """Of one call, from its begin to its slowest core's end. Tensors without gaps, rules i32 and
    shift, one group."""
    if is_interior(case):
        return round(interior_cycles(case))
    channels = -(-case.out_channels // GROUP)
    height, width = _output(case)
    count = -(-height * width // GROUP)
    seen = min(count, _LOOKED_AT)
    blocks = _blocks(case, seen, width)
    groups = _groups(case)
    items = seen * channels
    worst = max(
        _core(blocks, groups, channels, items * n // CORES, items * (n + 1) // CORES)
        for n in range(CORES)
    )
    return round(_CALL + worst * count / seen)


def fully_connected_cycles(case: KernelCase) -> int:
    """The same of a fully connected layer."""
    inputs, groups = -(-case.in_channels // 4), -(-case.out_channels // GROUP)
    of_a_core = -(-groups // CORES)  # of the one that has most
    if in_slices(case):
        share = -(-inputs // CORES)
        beside = _SLICES + groups * _SLICE + of_a_core * _ADD_UP
        return round(_FC_CALL + beside + _dense(case, share, groups))
    return round(_FC_CALL + _dense(case, inputs, of_a_core) + of_a_core * _FC_GROUP)


def _dense(case: KernelCase, words: int, groups: int) -> float:
    """Products, and a copy of the input where that is not made of words."""
    pairs, one = divmod(groups, 2)
    copied = 3 * words if case.in_channels % 4 else 0
    return words * (pairs * _FC_PAIR + one * _FC_ONE) + copied


def fully_connected_wide_cycles(case: KernelCase) -> int:
    """Of int16: both planes, what splits the input, and outputs one by one."""
    inputs, groups = -(-case.in_channels // 4), -(-case.out_channels // GROUP)
    own = -(-groups // CORES)
    split = _SPLIT * -(-inputs // CORES)
    if wide_in_slices(case):
        products = groups * (_FC_GROUP + _BOTH * -(-inputs // CORES))
        return round(_FC_CALL + _SLICES + split + products + own * _ADD_UP)
    return round(_FC_CALL + split + own * (_FC_GROUP + _BOTH * inputs + _ADD_UP))


def wide_in_slices(case: KernelCase) -> bool:
    """The same of int16: as layer_of() of fully_connected_s16__xpulpv2.c."""
    inputs, groups = -(-case.in_channels // 4), -(-case.out_channels // GROUP)
    idle = -groups % CORES
    return groups <= SLICED_GROUPS and inputs >= CORES and idle * inputs > 320 + 32 * groups


def in_slices(case: KernelCase) -> bool:
    """Whether cores share the words of a fully connected layer's input, not its groups: as
    in_slices() of fully_connected_s8__xpulpv2.c."""
    inputs, groups = -(-case.in_channels // 4), -(-case.out_channels // GROUP)
    idle = -groups % CORES
    return (
        case.rule in (*AFFINE, *HIGH_RULES)
        and inputs >= CORES
        and idle * inputs > 320 + 32 * groups
    )


class _Kind(IntEnum):
    """How a block's windows are found."""

    FOLLOWS = 0  # where they lie, as those of the block before
    BEGINS = 1
    STRIP = 2
    TABLE = 3


@dataclass(frozen=True)
class _Block:
    kind: _Kind
    cycles: float  # before its groups
    enters: bool  # a row that no block before it is in


def _core(
    blocks: list[_Block], groups: dict[_Kind, float], channels: int, begin: int, end: int
) -> float:
    """Items ``begin`` to ``end`` - 1, each a group of a block."""
    total = 0.0
    for number in range(begin // channels, -(-end // channels)):
        block = blocks[number]
        first, last = max(begin, number * channels), min(end, (number + 1) * channels)
        total += block.cycles + (last - first) * groups[block.kind]
        alone = number * channels <= begin
        total += _SEGMENT if alone and block.kind is _Kind.FOLLOWS else 0
        total += _ROW if alone or block.enters else 0
    return total


def _output(case: KernelCase) -> tuple[int, int]:
    """Pixels of a 1x1 at stride 1 are one long row."""
    height, width = case.out_shape[1:3]
    point = case.kernel == case.stride == (1, 1) and not case.pads.any and not copied(case)
    return (1, height * width) if point else (height, width)


def _blocks(case: KernelCase, count: int, width: int) -> list[_Block]:
    stride, left = case.stride[1], case.pads.left
    space = case.in_shapes[0][2] - (case.kernel[1] - 1) * case.dilation[1] + left
    first = -(-left // stride)
    last = width if width > case.out_shape[2] else min(-(-space // stride), width)
    before = {kind: _before(case, kind) for kind in _Kind}
    found: list[_Block] = []
    for number in range(count):
        x = GROUP * number % width
        inside = first <= x and x + GROUP <= last
        kind = _Kind.BEGINS if inside else _Kind.STRIP
        if x + GROUP > width or not (inside or strip_bytes(case)):
            kind = _Kind.TABLE
        elif inside and x >= GROUP and found[-1].kind in (_Kind.FOLLOWS, _Kind.BEGINS):
            kind = _Kind.FOLLOWS
        enters = (GROUP * number + GROUP - 1) // width > (GROUP * number - 1) // width
        found.append(_Block(kind, before[kind], enters))
    return found


def _before(case: KernelCase, kind: _Kind) -> float:
    """Cycles of a block before its groups."""
    if kind is _Kind.TABLE:
        lone = GROUP * case.kernel[0] * _LONE_ROW if copied(case) else _TAP * _taps(case)
        return _SEGMENT + _BLOCK + lone
    cycles = _BLOCK + _copies(case)
    if kind is _Kind.STRIP:
        cycles += _STRIP + _STRIP_WORD * case.kernel[0] * strip_bytes(case) / 4
    return cycles + (0 if kind is _Kind.FOLLOWS else _SEGMENT)


def _groups(case: KernelCase) -> dict[_Kind, float]:
    """Cycles of a group of a block."""
    products = _PRODUCTS * words(case.kernel[0] * case.kernel[1] * case.in_channels)
    runs = 1 if copied(case) else case.kernel[0]
    rest = _POINT if runs == 1 else _ROWS + _RUN * runs
    found = dict.fromkeys(_Kind, products + rest)
    found[_Kind.TABLE] = products + _TABLE + _TABLE_RUN * _taps(case)
    return found


def _taps(case: KernelCase) -> int:
    return 1 if copied(case) else case.kernel[0] * case.kernel[1]


def _copies(case: KernelCase) -> float:
    """Of the windows of a block that are a step apart."""
    if not copied(case):
        return 0
    row = case.kernel[1] * case.in_channels
    if (case.kernel[0], row) == (3, 9):
        return _NINE_BYTES
    parts = _WINDOW_ROW + _ROW_WORD * (row // 4) + _ROW_BYTE * (row % 4)
    return GROUP * case.kernel[0] * parts
