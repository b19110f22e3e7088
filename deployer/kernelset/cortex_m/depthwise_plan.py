"""How the kernels of a depthwise convolution cut it (kernels/include/dpl/cortex_m/
depthwise_plan.h): the bytes of scratch follow from it."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

from deployer.ir import Pads
from deployer.kernelset.blocking.cortex_m import (
    RING_BAND_ROWS,
    RING_CHANNELS,
    RING_GROUP_BYTES,
    RING_OUTPUTS,
    RING_ROOM_BLOCKS,
    RING_TERMS,
)
from deployer.kernelset.kernel import KernelCase

_WORD = 4
_BLOCK_CYCLES = 19  # what begins and ends four outputs
_CYCLES_BEYOND = 14  # what a loop of terms adds to a row of taps
_ROOM_CYCLES = 15  # a line that ends by way of the room, where outputs fill no blocks
_BLOCK_BYTES = 12
_ROOM_BYTES = (RING_ROOM_BLOCKS + 1) * _BLOCK_BYTES + RING_ROOM_BLOCKS * RING_OUTPUTS * _WORD


def _lines_apart(stride: int, dilation: int, taps: int) -> int:
    """How many lines apart those are that windows read."""
    return math.gcd(stride, dilation) if taps > 1 else stride


def _thin(case: KernelCase, *, rows: bool = True) -> KernelCase:
    """Without the columns and ``rows`` that no window reads; rows of a ring stay."""
    axes = (rows, True)
    apart = [
        _lines_apart(*each) if thinned else 1
        for thinned, *each in zip(axes, case.stride, case.dilation, case.kernel, strict=True)
    ]
    single = [thinned and taps == 1 for thinned, taps in zip(axes, case.kernel, strict=True)]
    stride = case.stride[0] // apart[0], case.stride[1] // apart[1]
    steps = [
        1 if alone else dilation // by
        for alone, dilation, by in zip(single, case.dilation, apart, strict=True)
    ]
    return replace(case, stride=stride, dilation=(steps[0], steps[1]))


def _phases(case: KernelCase) -> tuple[int, ...]:
    """Outputs of a row in each phase, where windows of neighbours overlap; otherwise all."""
    count = case.dilation[1] if case.stride[1] == 1 else 1
    return tuple((case.out_shape[2] - n + count - 1) // count for n in range(count))


def _blocks(outputs: int) -> int:
    return -(-outputs // RING_OUTPUTS)


def _filled_terms(terms: int) -> int:
    """Of a row, as loops take them."""
    if terms > RING_TERMS:
        return terms + terms % 2
    return RING_TERMS if terms > 3 else terms


@dataclass(frozen=True)
class RowPlan:
    """``case``: as it is computed. ``slides``: outputs next to each other read the same words.
    ``lines`` of a packed row, ``words`` of a line; ``rows`` of ``terms`` make an output, whose
    weights take ``weights`` words. ``phases``: outputs of a row that are computed on their own.
    ``planes`` of a group of channels; ``band``: output rows at a time, ``bytes``: of scratch."""

    case: KernelCase
    slides: bool
    lines: int
    words: int
    rows: int
    terms: int
    phases: tuple[int, ...]
    planes: int = 0
    band: int = 0
    bytes: int = 0

    @property
    def weights(self) -> int:
        return self.rows * self.terms * (2 if self.slides and self.terms != 2 else 1)

    @property
    def bands(self) -> int:
        return -(-self.case.out_shape[1] // self.band)

    @property
    def by_remainders(self) -> bool:
        """Whether rows lie by their remainders by the dilation."""
        return self.case.dilation[0] > 1 and not self.slides and self.lines > 1


def _line(case: KernelCase) -> RowPlan:
    """Lines and terms; no bands yet."""
    (tall, wide), pairs, phases = case.kernel, (case.kernel[1] + 1) // 2, _phases(case)
    blocks = _blocks(phases[0])
    if case.stride[1] == 1:
        terms = _filled_terms(wide // 2 + 1)
        words = (blocks * 2 + terms) * RING_CHANNELS
        return RowPlan(case, True, case.dilation[1], words, tall, terms, phases)
    even, few = case.stride[1] == 2 and case.dilation[1] == 1, pairs <= RING_TERMS
    one = even and (few or tall == 1)
    terms = _filled_terms(pairs) if one and few else 1
    words = (blocks * RING_OUTPUTS + (max(pairs, terms) if one else 1)) * RING_CHANNELS
    rows = tall if terms > 1 else tall * pairs
    return RowPlan(case, False, 1 if one else pairs, words, rows, terms, phases)


def _rows(plan: RowPlan) -> tuple[int, int]:
    """Rows of a plane: those of one output row, and what each further one adds."""
    case = plan.case
    kernel, stride, dilation = case.kernel[0], case.stride[0], case.dilation[0]
    first = kernel * dilation if plan.by_remainders else (kernel - 1) * dilation + 1
    return first, stride if dilation > 1 else min(stride, kernel)


def _whole_band(plan: RowPlan, rows: int) -> int:
    """Output rows of a band, after which those of the next begin with the same remainder."""
    case = plan.case
    while plan.by_remainders and rows < case.out_shape[1]:
        if rows * case.stride[0] % case.dilation[0] == 0:
            break
        rows += 1
    return rows


def _cut(case: KernelCase) -> RowPlan:
    plan = _line(case)
    first, further = _rows(plan)
    height, row = case.out_shape[1], _WORD * plan.lines * plan.words
    own = first * row + _WORD * RING_CHANNELS * case.multiplier * plan.weights
    wanted = own + (min(height, RING_BAND_ROWS) - 1) * further * row
    all_planes = -(-case.in_channels // RING_CHANNELS)
    planes = max(1, min(all_planes, RING_GROUP_BYTES // wanted))
    left = RING_GROUP_BYTES // planes - own
    rows = min(RING_BAND_ROWS, max((first - further) // 2, 1 + max(0, left) // (further * row)))
    band = _whole_band(plan, -(-height // -(-height // rows)))
    blocks = band * sum(map(_blocks, plan.phases))
    lists = (blocks + 2) * _BLOCK_BYTES + _ROOM_BYTES
    size = lists + planes * (own + (band - 1) * further * row) + _WORD * plan.words
    return replace(plan, planes=planes, band=band, bytes=size)


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


def _row_cycles(taps: int, stride: int, dilation: int) -> int:
    """Of four outputs, a row of taps."""
    pairs, terms = (taps + 1) // 2, _filled_terms(taps // 2 + 1)
    if stride > 1:
        one = stride == 2 and dilation == 1 and pairs <= RING_TERMS
        return 4 * _filled_terms(pairs) + 2 if one else 6 * pairs
    beyond = _CYCLES_BEYOND if terms > RING_TERMS else 1 if terms > 1 else 2
    return 4 * terms + beyond


def _cycles(case: KernelCase) -> int:
    """Of the image's blocks, rows computed as they lie."""
    (rows, taps), (_, tall, wide, _) = case.kernel, case.out_shape
    apart = _lines_apart(case.stride[1], case.dilation[1], taps)
    stride, steps = case.stride[1] // apart, case.dilation[1] // apart if taps > 1 else 1
    phases = 1 if stride > 1 else steps
    blocks = _blocks(-(-wide // phases)) * phases
    return tall * blocks * (_BLOCK_CYCLES + rows * _row_cycles(taps, stride, steps))


def turns(case: KernelCase) -> bool:
    """Whether columns take less than rows; nevertheless those of a ring stay rows."""
    alike = case.stride[0] == case.stride[1]
    _, tall, wide, _ = case.out_shape
    room = wide * _ROOM_CYCLES if tall % RING_OUTPUTS else 0
    return alike and 9 * (_cycles(turned(case)) + room) < 8 * _cycles(case)


def plan_of(case: KernelCase) -> RowPlan:
    """How a whole tensor is computed."""
    return _cut(_thin(turned(case) if turns(case) else case))


def scratch_bytes(case: KernelCase) -> int:
    """For the image as it lies, be its rows a ring or not, and where that is better, for rows as
    columns."""
    own = max(_cut(_thin(case, rows=rows)).bytes for rows in (True, False))
    return max(own, plan_of(case).bytes)


def rows_at_once(case: KernelCase) -> int:
    """Output rows whose input is packed before they are written; 0 if another group of channels
    reads it again, or where columns may be rows."""
    plan = _cut(_thin(case))
    return 0 if turns(case) or plan.planes * RING_CHANNELS < case.in_channels else plan.band
