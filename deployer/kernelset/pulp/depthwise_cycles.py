"""What a depthwise convolution takes on eight cores, all of it in L1: an estimate for choosing
tiles, fitted to gap8_sim: 3x3 by its loops of its own within 2 %, 5 % below 4,200 cycles; 5x5 and
7x7 within 1 %; other windows as the next larger one."""

from __future__ import annotations

from dataclasses import dataclass

from deployer.ir import AFFINE
from deployer.kernelset.blocking.pulp import CLUSTER_CORES as CORES
from deployer.kernelset.blocking.pulp import GROUP_CHANNELS as GROUP
from deployer.kernelset.blocking.pulp import PLANE_BYTES, PLANE_SPAN_COLUMNS
from deployer.kernelset.kernel import KernelCase
from deployer.kernelset.pulp.depthwise_planes import (
    Piece,
    pieces_3x3,
    spanned,
)
from deployer.kernelset.pulp.windows import words


@dataclass(frozen=True)
class _Rule:
    """Cycles of a call; of a piece of a group; of four columns of a row of its input; of four
    columns of its outputs and of four outputs of a row, a channel."""

    call: float
    piece: float
    entered: float
    strip: float
    outputs: float


_RULES = {
    (5, 1): _Rule(2458, 3088, 25, 0, 100),
    (5, 2): _Rule(1950, 2791, 17, 0, 137),
    (7, 1): _Rule(2368, 4201, 21, 0, 172),
    (7, 2): _Rule(1823, 3936, 11, 0, 238),
}
_LARGEST = 7


@dataclass(frozen=True)
class _Loop:
    """3x3 at a stride: cycles of a call; of a piece; of a group of four channels in it; of four
    columns of a row of its input; of a channel of it; of a channel's columns, four or what is left;
    of a row of those: of one, two, three or four."""

    call: float
    piece: float
    group: float
    entered: float
    channel: float
    strip: float
    outputs: tuple[float, float, float, float]


_LOOPS = {
    1: _Loop(289, 352, 102, 18.8, 30, 14, (10.2, 17.3, 28.5, 31.6)),
    2: _Loop(354, 269, 102, 18.6, 30, 22, (9.1, 20.2, 29.3, 38.4)),
}


_AGAIN = 140  # a plane that several channels of outputs read


def by_a_loop_of_its_own(case: KernelCase) -> bool:
    plain = case.kernel == (3, 3) and case.dilation == (1, 1)
    return plain and case.stride in ((1, 1), (2, 2)) and case.rule in AFFINE


def depthwise_cycles(case: KernelCase) -> float:
    """Of the core with most rows of a group of four channels. Rules i32 and shift."""
    if not by_a_loop_of_its_own(case):
        return _any_cycles(case)
    stride = case.stride[0]
    loop = _LOOPS[stride]
    return loop.call + sum(
        _piece_cycles(piece, loop, stride, case.multiplier) for piece in pieces_3x3(case)
    )


def _piece_cycles(piece: Piece, loop: _Loop, stride: int, multiplier: int) -> float:
    """One or two columns of the last four are transposed in half the time."""
    columns = spanned(piece.columns, stride)
    entered = -(-columns // 4) - (0.5 if columns % 4 in (1, 2) else 0)
    fours, odd = divmod(piece.columns, 4)
    row = fours * loop.outputs[3] + (loop.outputs[odd - 1] if odd else 0)
    channel = loop.channel + (fours + (odd > 0)) * loop.strip + piece.rows * row
    transposed = loop.group + loop.entered * entered * spanned(piece.rows, stride)
    again = _AGAIN * GROUP * piece.groups if multiplier > 1 else 0
    return loop.piece + again + piece.groups * (transposed + GROUP * multiplier * channel)


def _any_cycles(case: KernelCase) -> float:
    rule = _rule(case)
    height, width = case.out_shape[1:3]
    (down, across), tall = case.stride, _span(case, 0)
    groups = -(-case.out_channels // GROUP)
    rows = -(-groups * height // CORES)  # of the fullest core
    columns = min(words(width), max(GROUP, PLANE_SPAN_COLUMNS // across // 4 * 4))
    along = (columns - GROUP) * across // 4 + -(-(3 * across + _span(case, 1)) // 4)
    most = max(PLANE_BYTES // (16 * along), 3 * down + tall)  # rows of a piece's input
    piece = min(height, rows, max((most - tall) // down + 1, 1))
    pieces = -(-width // columns) * -(-rows // piece)
    entered = pieces * ((piece - 1) * down + tall) * along
    strips = -(-width // 4)
    return (
        rule.call
        + rule.piece * pieces
        + rule.entered * entered
        + GROUP * strips * (rule.strip * -(-rows // piece) + rule.outputs * rows)
    )


def _span(case: KernelCase, axis: int) -> int:
    return (case.kernel[axis] - 1) * case.dilation[axis] + 1


def _rule(case: KernelCase) -> _Rule:
    """The next larger window's."""
    size = min(max(case.kernel), _LARGEST)
    stride = min(case.stride[1], 2)
    return next(_RULES[known, stride] for known in (5, 7) if size <= known)
