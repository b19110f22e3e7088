"""Convolutions whose windows of halfwords are read where they lie (kernels/include/dpl/cortex_m/
direct.h): scratch and estimated cycles."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property

from deployer.ir import Pads
from deployer.kernelset.blocking.cortex_m import (
    DIRECT_WINDOWS,
    LISTED_WORDS,
    POINT_PAIRS,
    POINT_WORDS,
    RING_OUTPUTS,
    RING_ROOM_BLOCKS,
)
from deployer.kernelset.cortex_m.planes import planes_of, remainders_of
from deployer.kernelset.kernel import KernelCase
from deployer.kernelset.layouts.x2c4_taps import words_of_tap

_WORD, _HALF = 4, 2  # bytes
_PAIR = 2  # windows of a block of two channels
_SLACK = 16  # bytes behind the copies that words of the last tap reach
_ROOM = RING_ROOM_BLOCKS * RING_OUTPUTS * _WORD
# Estimated cycles: of a block, of its words where it is of two channels and of one; of a call; of
# an entry of the list, a run of a block; of a copied pixel that ends within a word, of a copied
# row, of a copied word, of one made of bytes, of such a pixel copied alone; of a row, a
# pixel and an output that are bounded.
_BLOCK, _PAIR_WORD, _SINGLE_WORD, _CALL = 24.0, 5.1, 6.4, 75.0
_POINTS = (4.5, 6.5, 7.5)  # an output of so many words in a 1x1
_ENTRY, _RUN, _HALF_PIXEL, _COPIED_ROW = 10.0, 18.0, 14.0, 100.0
_COPIED, _WIDENED, _APART = 2.0, 2.8, 24.0
_ROW, _PIXEL, _BOUND = 250.0, 15.0, 1.2


@dataclass(frozen=True)
class Direct:
    """A convolution of ``channels`` outputs for each of ``groups`` of ``depth`` inputs: an image of
    ``outputs`` rows and columns. ``inside``: no window reaches beyond the input's rows, its
    columns. ``from_bytes``: values are bytes, so that all are copied."""

    kernel: tuple[int, int]
    stride: tuple[int, int]
    dilation: tuple[int, int]
    outputs: tuple[int, int]
    groups: int
    depth: int
    channels: int
    inside: tuple[bool, bool]
    from_bytes: bool = False

    @cached_property
    def bytes(self) -> int:
        """Of scratch, with room for copies wherever they may be made."""
        own = self._as_run
        taps = own.kernel[0] * own.kernel[1]
        entries = taps * self.words + 3 if self.words <= LISTED_WORDS else 2 * taps + 2
        copies = own._span * own._reached * self._pixel * _HALF
        return _WORD * (own._span + entries) + _ROOM + copies + _SLACK

    @property
    def cycles(self) -> float:
        """Estimated."""
        own = self._as_run
        (tall, wide), taps = own._image, own.kernel[0] * own.kernel[1]
        words, runs = taps * self.words, taps * (self.words > LISTED_WORDS)
        points = taps == 1 and words <= POINT_WORDS and not self.from_bytes
        if points and wide > 2 * POINT_PAIRS:
            calls = self.groups * tall * own._of_a_window * -(-wide // DIRECT_WINDOWS)
            outputs = self.groups * tall * wide * self.channels
            return outputs * _POINTS[words - 1] + 2 * calls * _CALL + own._reading(words)
        pairs, singles = (tall * count for count in own._blocks(wide))
        products = words * (pairs * _PAIR_WORD + singles * _SINGLE_WORD)
        blocks = (pairs + singles) * (_BLOCK + runs * _RUN)
        written = tall * (_ROW + wide * (_PIXEL + _BOUND * self.groups * self.channels))
        called = tall * own._calls(wide) * _CALL
        bounded = written * self.from_bytes
        return blocks + products + called + bounded + own._reading(runs or words)

    @property
    def _of_a_window(self) -> int:
        """Blocks of a group, each of two channels or of one."""
        return (self.channels + 1) // 2

    def _blocks(self, wide: int) -> tuple[int, int]:
        """In a row, of two channels and of one; of a row shorter than one each window is one."""
        pairs, single = divmod(self.channels, 2)
        if wide < self._fewest:
            return self.groups * pairs * wide, self.groups * single * wide
        across = -(-wide // _PAIR), -(-wide // RING_OUTPUTS)
        return self.groups * pairs * across[0], self.groups * single * across[1]

    def _calls(self, wide: int) -> int:
        """In a row: of all groups or of all windows, whichever are more."""
        if wide < self._fewest:
            return self.groups * (1 + self.channels % 2) * wide
        across = -(-wide // (RING_OUTPUTS if self.channels == 1 else _PAIR))
        return self._of_a_window * min(self.groups, across)

    @property
    def _fewest(self) -> int:
        """Windows of a row that are worth whole blocks."""
        return RING_OUTPUTS if self.channels % 2 else _PAIR

    @property
    def words(self) -> int:
        """Of a tap."""
        return words_of_tap(self.depth)

    @property
    def _as_run(self) -> Direct:
        """With columns for rows where a row is shorter than a block."""
        if not self._turns:
            return self
        kernel, stride, dilation, outputs = (
            pair[::-1] for pair in (self.kernel, self.stride, self.dilation, self.outputs)
        )
        return replace(
            self,
            kernel=kernel,
            stride=stride,
            dilation=dilation,
            outputs=outputs,
            inside=self.inside[::-1],
        )

    @property
    def _turns(self) -> bool:
        """``is_turned`` of direct_plan.h."""
        (tall, wide), windows = self.outputs, self._fewest
        if tall <= wide or wide >= 2 * RING_OUTPUTS:
            return False
        across, down = tall * -(-wide // windows), wide * -(-tall // windows)
        return wide < RING_OUTPUTS or 8 * down < 7 * across

    @property
    def _inputs(self) -> int:
        return self.groups * self.depth

    @property
    def _pixel(self) -> int:
        """Elements of a copied one."""
        return 2 * self.words if self.groups == 1 else self._inputs + self._inputs % 2

    @property
    def _span(self) -> int:
        """Rows of the ring."""
        return (self.kernel[0] - 1) * self.dilation[0] + 1

    @property
    def _reached(self) -> int:
        """Columns of the input."""
        (_, wide), (_, step), (_, right) = self.kernel, self.stride, self.dilation
        return (self.outputs[1] - 1) * step + (wide - 1) * right + 1

    @property
    def _columns_in_place(self) -> bool:
        whole = self._inputs % 2 == 0 and self.words == (self.depth + 1) // 2
        return self.inside[1] and whole and max(self.outputs) > 1 and not self.from_bytes

    @property
    def _in_place(self) -> bool:
        return self.inside[0] and self._columns_in_place

    @property
    def _image(self) -> tuple[int, int]:
        """Rows and columns that are computed: of a point in place all pixels are a row."""
        tall, wide = self.outputs
        alone = self.kernel == self.stride == (1, 1) and self._in_place
        return (1, tall * wide) if alone else (tall, wide)

    def _reading(self, entries: int) -> float:
        """Cycles of copies and of a list of so many entries for each row that is copied."""
        return 0.0 if self._in_place else self._copies + self._copied * entries * _ENTRY

    @property
    def _copied(self) -> int:
        """Rows of outputs whose windows are."""
        if not self._columns_in_place:
            return self.outputs[0]
        return min(self.outputs[0], -(-(self._span - 1) // self.stride[0]))

    @property
    def _copies(self) -> float:
        rows = min(self._copied * self.stride[0] + self.kernel[0], self._copied * self.kernel[0])
        word = _WIDENED if self.from_bytes else _COPIED
        apart = _APART if self.from_bytes else _HALF_PIXEL
        pixel = self._inputs / 2 * word + (self._pixel != self._inputs) * apart
        return rows * (self._reached * pixel + _COPIED_ROW)


def _inside(pads: Pads) -> tuple[bool, bool]:
    return not (pads.top or pads.bottom), not (pads.left or pads.right)


def conv(case: KernelCase) -> Direct:
    """Of a convolution."""
    planes = planes_of(case)
    return Direct(
        planes.kernel,
        planes.stride,
        planes.dilation,
        planes.outputs,
        case.groups,
        planes.depth,
        planes.channels,
        inside=_inside(case.pads),
        from_bytes=case.act == "s8",
    )


def transposed(case: KernelCase) -> Iterator[Direct]:
    """The convolutions of a transposed one that have outputs."""
    for each in remainders_of(case):
        yield Direct(
            each.kernel,
            each.stride,
            each.dilation,
            each.outputs,
            case.groups,
            each.depth,
            each.channels,
            inside=(False, False),
        )
