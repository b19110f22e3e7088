"""What a convolution whose windows no side cuts takes on eight cores (dpl/pulp/interior.h), all of
it in L1: an estimate for choosing tiles, fitted to gap8_sim on 47 layers, those of
tests/emulated/test_gap8_layers.py and more like them, most within 1.3 %; layers of groups, of
channels that are no fours and of runs of a word within 8 %."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from deployer.ir import AFFINE, RequantRule
from deployer.kernelset.blocking.pulp import CLUSTER_CORES as CORES
from deployer.kernelset.blocking.pulp import GROUP_CHANNELS as GROUP
from deployer.kernelset.kernel import KernelCase
from deployer.kernelset.pulp.windows import copied, covered_bytes, cut_by_sides, runs_of, words

# cycles, of instructions and the banks' and cache's conflicts together
_CALL, _DIVIDED = 440, 160  # one group of channels; several, whose items are divided
_SEGMENT, _SEGMENT_RUN = 137, 7  # blocks of a row, one after the other; each kernel row of it
_BLOCK, _BLOCK_RUN = 32, 5.2  # four windows; each of their runs
_WORDS = {4: 24.44, 2: 14.3, 1: 9.2}  # products of a word of four windows with so many channels
_MISALIGNED = 1.02  # a word of one of them
_POINT, _THREE, _ROWS, _RUN = 74.7, 77.4, 85, 3  # the rest of a piece: one run, three, others
_SOME, _SOME_CHANNEL, _SOME_RUN = 45, 20, 5  # of one of few channels, or of runs of a word
_REST = 60  # of a segment that has one of few channels
_HIGH = 34.5  # a channel of a piece by a rule of the high word
_LISTED, _LISTED_ROW = 380, 75  # a block that goes on in the next row; each kernel row of it
_LISTED_REST = 110  # its last piece, of less than four channels
_TABLE, _TABLE_RUN = 147.5, 4.5  # the rest of a piece of such a block
_ZERO_WORD = 0.71  # of zero points, for a kernel row outside
_NINE_BYTES, _COPY, _COPY_ROW, _COPY_WORD, _COPY_BYTE = 168, 45, 40, 19, 14  # of four windows


HIGH_RULES = (RequantRule.Q32, RequantRule.Q31)


def is_interior(case: KernelCase) -> bool:
    """Whether a tile is one of those. Rules that four_by_*.S know."""
    if cut_by_sides(case) or case.rule not in (*AFFINE, *HIGH_RULES):
        return False
    return not copied(case) or case.out_shape[2] >= GROUP


def interior_cycles(case: KernelCase) -> float:
    """Of one call, from its begin to its slowest core's end."""
    layer = _Layer(case)
    return layer.call + max(layer.core(number) for number in range(CORES))


@dataclass(frozen=True)
class _Layer:
    """Cycles of its parts: a piece is the weights of four channels of a group, or its last ones."""

    case: KernelCase

    @property
    def call(self) -> float:
        return _CALL + (_DIVIDED if self.case.groups > 1 else 0)

    def core(self, number: int) -> float:
        """The share of one core: items of a group, block * pieces + piece, then those of the
        next."""
        begin, end = (self._each * self.case.groups * n // CORES for n in (number, number + 1))
        total = 0.0
        while begin < end:
            first = begin % self._each
            some = min(end - begin, self._each - first)
            total += self._group if some == self._each else self._items(first, some)
            begin += some
        return total

    @cached_property
    def _each(self) -> int:
        """Items of a group of channels."""
        return self._blocks * self._pieces

    @cached_property
    def _group(self) -> float:
        """One that a core has for itself."""
        return self._items(0, self._each)

    def _items(self, begin: int, count: int) -> float:
        return sum(self._segments(begin, count))

    def _segments(self, begin: int, more: int) -> Iterator[float]:
        last = (begin + more) // self._pieces
        block, piece = divmod(begin, self._pieces)
        while more > 0:
            some, taken = min(more, self._pieces - piece), 1
            row, column = divmod(GROUP * block, self._row)
            outside = self._zeros * self._outside(row)
            few = self._few > 0 and piece + some == self._pieces
            if column + GROUP > self._width and not self._again:
                yield self._listed + outside + some * self._listed_piece + few * _LISTED_REST
            else:
                if piece == 0 and more >= 2 * self._pieces:
                    taken = min(max((self._width - column) // GROUP, 1), last - block)
                fours = some - few + (taken - 1) * (self._pieces - (self._few > 0))
                some += (taken - 1) * self._pieces
                both = fours > 0 and few
                pieces = fours * self._piece + few * taken * self._last
                blocks = (taken + both * taken) * self._block
                yield self._segment + outside + blocks + pieces + both * _REST
            block, more, piece = block + taken, more - some, 0

    @cached_property
    def _width(self) -> int:
        """Pixels of a row, which is all of them where nothing parts rows."""
        case, (rows, columns) = self.case, self.case.out_shape[1:3]
        point = case.kernel == case.stride == (1, 1) and not case.pads.any
        return rows * columns if point else columns

    @cached_property
    def _again(self) -> bool:
        """Whether the last block of a row begins with pixels of the one before."""
        pixels = self.case.out_shape[1] * self.case.out_shape[2]
        return copied(self.case) or (self._width == pixels and pixels >= GROUP)

    @cached_property
    def _row(self) -> int:
        """Pixels whose blocks are a row's: of copies each row has its own."""
        return words(self._width) if copied(self.case) else self._width

    @cached_property
    def _blocks(self) -> int:
        height, width = self.case.out_shape[1:3]
        return -(-height * (words(width) if copied(self.case) else width) // GROUP)

    @cached_property
    def _pieces(self) -> int:
        return -(-self.case.out_channels // self.case.groups // GROUP)

    @cached_property
    def _few(self) -> int:
        """Channels of a group's last piece, if less than four."""
        return self.case.out_channels // self.case.groups % GROUP

    @cached_property
    def _misaligned(self) -> float:
        """Cycles of words that are not aligned, for one of each of four windows."""
        step = self.case.in_channels * self.case.stride[1] % 4
        odd = self.case.in_channels % 4 or runs_of(self.case).bytes % 4
        return _MISALIGNED * ({0: 3, 2: 2}.get(step, 3) if odd else 0)

    @cached_property
    def _high(self) -> float:
        """Cycles of a channel more than by the rules i32 and shift."""
        return 0.0 if self.case.rule in AFFINE else _HIGH

    def _products(self, channels: int) -> float:
        misaligned = 0.0 if copied(self.case) else self._misaligned
        return (_WORDS[channels] + misaligned) * runs_of(self.case).words

    @cached_property
    def _piece(self) -> float:
        runs = runs_of(self.case)
        if runs.bytes <= 4 or self.case.element_bytes > 1:
            return self._some(4)
        rest: float = _ROWS + _RUN * runs.count
        if not self._high:
            rest = {1: _POINT, 3: _THREE}.get(runs.count, rest)
        return self._products(4) + rest + 4 * self._high

    @cached_property
    def _last(self) -> float:
        """The piece of less than four channels."""
        return self._some({1: 1, 2: 2}.get(self._few, 4))

    def _some(self, channels: int) -> float:
        runs = runs_of(self.case).count
        each = _SOME_CHANNEL + self._high
        return _SOME + each * channels + _SOME_RUN * runs + self._products(channels)

    @cached_property
    def _segment(self) -> float:
        return _SEGMENT + _SEGMENT_RUN * runs_of(self.case).count

    @cached_property
    def _block(self) -> float:
        copies = _copies(self.case) if copied(self.case) else 0
        return _BLOCK + _BLOCK_RUN * runs_of(self.case).count + copies

    @cached_property
    def _listed(self) -> float:
        return _LISTED + _LISTED_ROW * runs_of(self.case).count

    @cached_property
    def _listed_piece(self) -> float:
        runs = runs_of(self.case).count
        return self._products(4) + _TABLE + _TABLE_RUN * runs + 4 * self._high

    @cached_property
    def _zeros(self) -> float:
        return _ZERO_WORD * covered_bytes(self.case) / 4

    def _outside(self, row: int) -> int:
        """Kernel rows of an output row beyond the input."""
        case, high = self.case, self.case.kernel[0]
        first = row * case.stride[0] - case.pads.top
        above = -(-max(0, -first) // case.dilation[0])
        left = (case.in_shapes[0][1] - 1 - first) // case.dilation[0] + 1  # not below the last
        return min(above, high) + max(0, high - max(left, 0))


def _copies(case: KernelCase) -> float:
    row = case.kernel[1] * case.in_channels
    if (case.kernel[0], row) == (3, 9):
        return _NINE_BYTES
    parts = _COPY_ROW + _COPY_WORD * (row // 4) + _COPY_BYTE * (row % 4)
    return _COPY + case.kernel[0] * parts
