"""What a depthwise convolution over planes takes on eight cores, all of it in L1: an estimate for
choosing tiles, fitted to gap8_sim: 3x3 by its loops of its own within 2 %, 5 % below 4,200
cycles."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from deployer.kernelset.blocking.pulp import GROUP_CHANNELS as GROUP
from deployer.kernelset.kernel import KernelCase
from deployer.kernelset.pulp.depthwise_blocks import blocks_cycles
from deployer.kernelset.pulp.depthwise_phases import by_a_loop_of_its_own, phases
from deployer.kernelset.pulp.depthwise_planes import (
    Piece,
    pieces_3x3,
    spanned,
)


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
_PHASE = 550  # cycles of a phase of a dilated window
_AGAIN = 80  # of a plane that several channels of outputs read
# Of planes of less than four channels: of a byte, a row and a plane.
_BYTE, _BYTES_ROW, _PLANE = 1.8, 12, 53


def depthwise_cycles(case: KernelCase) -> float:
    """Of phases one after the other, of each the core with most rows of a group of four channels.
    Rules i32 and shift."""
    found = phases(case)
    if found == (case,):
        return _undilated_cycles(case)
    alike = Counter(found)
    return sum(count * (_PHASE + _undilated_cycles(phase)) for phase, count in alike.items())


def _undilated_cycles(case: KernelCase) -> float:
    if not by_a_loop_of_its_own(case):
        return blocks_cycles(case)
    stride = case.stride[0]
    loop = _LOOPS[stride]
    return loop.call + sum(
        _piece_cycles(piece, loop, stride, case.in_channels, case.multiplier)
        for piece in pieces_3x3(case)
    )


def _piece_cycles(piece: Piece, loop: _Loop, stride: int, channels: int, multiplier: int) -> float:
    """One or two columns of the last four are transposed in half the time."""
    columns = spanned(piece.columns, stride)
    entered = -(-columns // 4) - (0.5 if columns % 4 in (1, 2) else 0)
    fours, odd = divmod(piece.columns, 4)
    row = fours * loop.outputs[3] + (loop.outputs[odd - 1] if odd else 0)
    channel = loop.channel + (fours + (odd > 0)) * loop.strip + piece.rows * row
    outputs = multiplier * channel + (_AGAIN if multiplier > 1 else 0)
    rows = spanned(piece.rows, stride)
    if channels < GROUP:
        filled = rows * (columns * _BYTE + _BYTES_ROW) + _PLANE
        return loop.piece + channels * (filled + outputs)
    transposed = loop.group + loop.entered * entered * rows
    return loop.piece + piece.groups * (transposed + GROUP * outputs)
