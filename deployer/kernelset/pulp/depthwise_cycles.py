"""What a depthwise convolution takes on eight cores, all of it in L1: an estimate for choosing
tiles, fitted to gap8_sim within 3 % (3x3) and 1 % (5x5, 7x7); other windows by their taps."""

from __future__ import annotations

from dataclasses import dataclass

from deployer.kernelset.kernel import KernelCase
from deployer.kernelset.pulp.windows import CORES, words

GROUP, _BYTES, _SPAN = 4, 1440, 32  # as dpl/pulp/planes.h has them


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
    (3, 1): _Rule(192, 680, 18, 33, 31),
    (3, 2): _Rule(123, 717, 18, 34, 38),
    (5, 1): _Rule(2458, 3088, 25, 0, 100),
    (5, 2): _Rule(1950, 2791, 17, 0, 137),
    (7, 1): _Rule(2368, 4201, 21, 0, 172),
    (7, 2): _Rule(1823, 3936, 11, 0, 238),
}
_LARGEST = 7


def depthwise_cycles(case: KernelCase) -> float:
    """Of the core with most rows of a group of four channels. Rules i32 and shift."""
    rule = _rule(case)
    height, width = case.out_shape[1:3]
    (down, across), tall = case.stride, _span(case, 0)
    groups = -(-case.out_channels // GROUP)
    rows = -(-groups * height // CORES)  # of the fullest core
    columns = min(words(width), max(GROUP, _SPAN // across // 4 * 4))
    along = (columns - GROUP) * across // 4 + -(-(3 * across + _span(case, 1)) // 4)
    most = max(_BYTES // (16 * along), 3 * down + tall)  # rows of a piece's input
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
    return next(_RULES[known, stride] for known in (3, 5, 7) if size <= known)
