"""What a convolution whose windows no side cuts takes on eight cores (dpl/pulp/interior.h), all of
it in L1: an estimate for choosing tiles, fitted to gap8_sim on 47 layers, those of
tests/emulated/test_gap8_layers.py and more like them, most within 1.3 %."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from deployer.ir import AFFINE
from deployer.kernelset.blocking.pulp import CLUSTER_CORES as CORES
from deployer.kernelset.blocking.pulp import GROUP_CHANNELS as GROUP
from deployer.kernelset.kernel import KernelCase
from deployer.kernelset.pulp.windows import copied, covered_bytes, cut_by_sides, words

# cycles, of instructions and the banks' and cache's conflicts together
_CALL = 340
_SEGMENT, _SEGMENT_RUN = 137, 7  # blocks of a row, one after the other; each kernel row of it
_BLOCK, _BLOCK_RUN = 32, 5.2  # four windows; each of their runs
_PRODUCTS = 6.11  # of sixteen sums, for a byte of each window
_POINT, _THREE, _ROWS, _RUN = 74.7, 77.4, 85, 3  # the rest of a group: one run, three, others
_LISTED, _LISTED_ROW = 143, 75  # a block that goes on in the next row; each kernel row of it
_TABLE, _TABLE_RUN = 147.5, 4.5  # the rest of a group of such a block
_ZERO_WORD = 0.71  # of zero points, for a kernel row outside
_NINE_BYTES, _COPY, _COPY_ROW, _COPY_WORD, _COPY_BYTE = 168, 45, 40, 19, 14  # of four windows


def is_interior(case: KernelCase) -> bool:
    """Whether a tile is one of those. Rules that four_by_four_*.S know."""
    return (
        case.out_channels % GROUP == 0
        and not cut_by_sides(case)
        and case.rule in AFFINE
        and _reads(case)
    )


def _reads(case: KernelCase) -> bool:
    follow = case.dilation[1] == 1
    if copied(case):
        return follow and case.out_shape[2] % GROUP == 0
    rows = case.kernel[0] > 1 or not case.pads.any
    return rows and (case.in_channels > GROUP if case.kernel[1] == 1 else follow)


def interior_cycles(case: KernelCase) -> float:
    """Of one call, from its begin to its slowest core's end."""
    layer = _Layer.of(case)
    return _CALL + max(layer.core(number) for number in range(CORES))


@dataclass(frozen=True)
class _Layer:
    """Cycles of its parts. ``high``: kernel rows; ``blocks`` of four windows in ``width`` pixels a
    row, ``groups`` of channels; ``outside(y)``: kernel rows of output row y beyond the input."""

    case: KernelCase
    high: int
    width: int
    blocks: int
    groups: int
    segment: float
    block: float
    group: float
    listed: float
    listed_group: float
    zeros: float

    @staticmethod
    def of(case: KernelCase) -> _Layer:
        (high, wide), copies = case.kernel, copied(case)
        rows, columns = case.out_shape[1:3]
        point = case.kernel == case.stride == (1, 1) and not case.pads.any
        products = _PRODUCTS * words(high * wide * case.in_channels)
        runs = 1 if copies else high
        rest = {1: _POINT, 3: _THREE}.get(runs, _ROWS + _RUN * runs)
        return _Layer(
            case=case,
            high=high,
            width=rows * columns if point else columns,
            blocks=-(-rows * columns // GROUP),
            groups=case.out_channels // GROUP,
            segment=_SEGMENT + _SEGMENT_RUN * high,
            block=_BLOCK + _BLOCK_RUN * runs + (_copies(case) if copies else 0),
            group=products + rest,
            listed=_LISTED + _LISTED_ROW * high,
            listed_group=products + _TABLE + _TABLE_RUN * high,
            zeros=_ZERO_WORD * covered_bytes(case) / 4,
        )

    def core(self, number: int) -> float:
        """The share of one core."""
        return sum(self._segments(number))

    def _segments(self, number: int) -> Iterator[float]:
        items = self.blocks * self.groups
        begin, end = items * number // CORES, items * (number + 1) // CORES
        block, last = begin // self.groups, self.blocks * (number + 1) // CORES
        group, more = begin % self.groups, end - begin
        while more > 0:
            some, taken = min(more, self.groups - group), 1
            row, column = divmod(GROUP * block, self.width)
            outside = self.zeros * self._outside(row)
            if column + GROUP > self.width:
                yield self.listed + outside + some * self.listed_group
            else:
                if group == 0 and more >= 2 * self.groups:
                    taken = min((self.width - column) // GROUP, last - block)
                some += (taken - 1) * self.groups
                yield self.segment + outside + taken * self.block + some * self.group
            block, more, group = block + taken, more - some, 0

    def _outside(self, row: int) -> int:
        case = self.case
        first = row * case.stride[0] - case.pads.top
        above = -(-max(0, -first) // case.dilation[0])
        left = (case.in_shapes[0][1] - 1 - first) // case.dilation[0] + 1  # not below the last
        return min(above, self.high) + max(0, self.high - max(left, 0))


def _copies(case: KernelCase) -> float:
    row = case.kernel[1] * case.in_channels
    if (case.kernel[0], row) == (3, 9):
        return _NINE_BYTES
    parts = _COPY_ROW + _COPY_WORD * (row // 4) + _COPY_BYTE * (row % 4)
    return _COPY + case.kernel[0] * parts
