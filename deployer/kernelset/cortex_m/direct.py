"""Convolutions whose windows of halfwords are read where they lie (kernels/include/dpl/cortex_m/
direct.h): scratch and estimated cycles."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property

from deployer.ir import Pads
from deployer.kernelset.blocking.cortex_m import (
    DIRECT_BAND_BYTES,
    DIRECT_CONV_BYTES,
    DIRECT_FEW_VALUES,
    DIRECT_SLACK_BYTES,
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

MAX_BYTES = 57344  # of scratch: columns of most windows as large take as many
_WORD, _HALF = 4, 2  # bytes
_PAIR = 2  # windows of a block of two channels
_MOST_BLOCKS = DIRECT_WINDOWS // _PAIR  # of a call
_ROOM = RING_ROOM_BLOCKS * RING_OUTPUTS * _WORD
# Estimated cycles, fitted to some 200 layers (8 %, rms): of a block, of its words where it is of
# two channels and of one; of a call; of an entry of the list, a run of a block; of a copied pixel
# that ends within a word, of a copied row, of a copied word, of one made of bytes, of such a pixel
# copied alone; of an output that is bounded; of a byte of weights that is fetched.
_BLOCK, _PAIR_WORD, _SINGLE_WORD, _CALL = 25.5, 5.25, 6.6, 70.0
# Of two channels of a window alone, or of one of two windows, of a word of theirs; of one of one.
_ALONE, _ALONE_WORD, _ONE_WORD = 45.0, 4.1, 3.1
_POINTS = (4.5, 6.5, 7.5)  # an output of so many words in a 1x1
_ENTRY, _RUN, _HALF_PIXEL, _COPIED_ROW = 8.0, 24.0, 14.5, 85.0
_COPIED, _WIDENED, _APART = 1.6, 2.1, 12.0
# Values of a pixel that has a loop, four at a time; its end, of bytes and of halfwords.
_LOOPED, _BYTES_END, _HALVES_END = 8, 18.0, 17.0
# Of a pixel of up to so many fours beside others, of each, and of a pixel of one.
_FEW_FOURS, _FOUR_VALUES, _FEW, _FOUR, _ONE_FOUR = 8, 4, 8.0, 4.0, 7.5
_BOUND = 1.2
_WEIGHT = 0.49
_BEGUN = 1000.0  # of a remainder in a band
_FAR = 1.6  # times as many where remainder after remainder reads and writes the whole image


@dataclass(frozen=True)
class Direct:
    """A convolution of ``channels`` outputs for each of ``groups`` of ``depth`` inputs: an image of
    ``outputs`` rows and columns. ``inside``: no window reaches beyond the input's rows, its
    columns. ``from_bytes``: values are bytes, so that all are copied. ``copied``: the input is a
    copy, made for others too. ``has_points``: loops for windows of few words. ``in_bands``: copies
    are bands of rows where those have room."""

    kernel: tuple[int, int]
    stride: tuple[int, int]
    dilation: tuple[int, int]
    outputs: tuple[int, int]
    groups: int
    depth: int
    channels: int
    inside: tuple[bool, bool]
    from_bytes: bool = False
    copied: bool = False
    has_points: bool = True
    in_bands: bool = False

    @cached_property
    def bytes(self) -> int:
        """Of scratch, with room for copies wherever they may be made."""
        return _WORD * self._as_run._span + self.lists + self._copied_bytes + DIRECT_SLACK_BYTES

    @property
    def _copied_bytes(self) -> int:
        """Of copies: of a ring, or of the bands of fewer rows than the whole has, which are cut
        otherwise."""
        own = self._as_run
        if self._turns and self.in_bands:
            most = self._most_rows(self._narrow_room) or self.outputs[0]
            own = replace(own, outputs=(own.outputs[0], min(most, self.outputs[0])))
        ring = own._span * own._reached * self._pixel * _HALF
        if not self.in_bands:
            return ring
        whole = self._rows_of(self.outputs[0]) * self._row_bytes
        return max(ring, min(whole, DIRECT_CONV_BYTES))

    @property
    def lists(self) -> int:
        """Of it, the list of a window's words and the room for sums."""
        taps = self.kernel[0] * self.kernel[1]
        entries = taps * self.words + 3 if self.words <= LISTED_WORDS else 2 * taps + 2
        return _WORD * entries + _ROOM

    @property
    def cycles(self) -> float:
        """Estimated."""
        if self._band:
            whole = replace(self, inside=(True, True), copied=True, in_bands=False)
            return whole.cycles + self._banded
        own = self._as_run
        (tall, wide), taps = own._image, own.kernel[0] * own.kernel[1]
        words, runs = taps * self.words, taps * (self.words > LISTED_WORDS)
        points = taps == 1 and words <= POINT_WORDS and self.has_points
        if points and wide >= 2 * POINT_PAIRS + (RING_OUTPUTS if self.channels == 1 else _PAIR):
            calls = self.groups * tall * own._of_a_window * -(-wide // DIRECT_WINDOWS)
            outputs = self.groups * tall * wide * self.channels
            products = outputs * _POINTS[words - 1] + 2 * calls * _CALL
            return products + own._reading(words) + own._fetching
        pairs, singles, alone = (tall * count for count in own._blocks(wide))
        products = words * (pairs * _PAIR_WORD + singles * _SINGLE_WORD + own._alone_word * alone)
        blocks = (
            (pairs + singles) * _BLOCK + alone * _ALONE + (pairs + singles + alone) * runs * _RUN
        )
        called = own._calls(tall, wide) * _CALL
        bounded = tall * wide * self.groups * self.channels * _BOUND * self.from_bytes
        reading = own._reading(runs or words) + own._fetching
        return blocks + products + called + bounded + reading

    @property
    def _fetching(self) -> float:
        taps = self.kernel[0] * self.kernel[1]
        return self.groups * self.channels * taps * 2 * self.words * _WEIGHT

    @property
    def _of_a_window(self) -> int:
        """Blocks of a group, each of two channels or of one."""
        return (self.channels + 1) // 2

    def _blocks(self, wide: int) -> tuple[int, int, int]:
        """In a row, of two channels and of one; of a row shorter than one the windows alone, each
        of two channels."""
        pairs, single = divmod(self.channels, 2)
        if wide < self._fewest:
            return 0, 0, self.groups * self._alone(wide)
        across = -(-wide // _PAIR), -(-wide // RING_OUTPUTS)
        return self.groups * pairs * across[0], self.groups * single * across[1], 0

    def _alone(self, wide: int) -> int:
        """Of a group, of a row of fewer windows than a block has: two channels, or two windows of
        one."""
        return -(-wide // _PAIR) if self.channels == 1 else self._of_a_window * wide

    @property
    def _alone_word(self) -> float:
        """Of an odd number of windows of one channel the last takes less."""
        wide = self._image[1]
        last = self.channels == 1 and wide % _PAIR == 1
        return _ALONE_WORD - last * (_ALONE_WORD - _ONE_WORD) / self._alone(wide)

    def _calls(self, tall: int, wide: int) -> int:
        """Of all groups or of all windows of rows together, whichever are fewer."""
        if wide < self._fewest:
            return self.groups * tall * self._alone(wide)
        across = -(-wide // (RING_OUTPUTS if self.channels == 1 else _PAIR))
        together = max(1, _MOST_BLOCKS // across) if self.columns_in_place else 1
        return self._of_a_window * min(-(-tall // together) * self.groups, tall * across)

    @property
    def begun(self) -> float:
        """Cycles before the first row."""
        entries = 1 if self.words > LISTED_WORDS else self.words
        return _BEGUN + self.kernel[0] * self.kernel[1] * entries * _ENTRY

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
        if tall <= wide or (wide >= 2 * RING_OUTPUTS and not self.copied):
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
    def _row_bytes(self) -> int:
        """Of a copied one."""
        return self._reached * self._pixel * _HALF

    def _rows_of(self, outputs: int) -> int:
        """Of the input, for so many rows of outputs."""
        return (outputs - 1) * self.stride[0] + self._span

    @cached_property
    def _band(self) -> int:
        """Rows of outputs whose input is copied at once (direct_bands.h); 0 where rows are read in
        place or in a ring."""
        as_is = not self.in_bands or self.columns_in_place or self._turns
        return 0 if as_is else self._rows_of_band(DIRECT_CONV_BYTES // self._row_bytes)

    @property
    def _narrow_room(self) -> int:
        """Input rows of a narrow image whose columns are copied at once."""
        columns = (self.kernel[1] - 1) * self.dilation[1] + 1
        return DIRECT_BAND_BYTES // (columns * self._pixel * _HALF)

    def _most_rows(self, room: int) -> int:
        """Of outputs whose input has so many rows; 0 where too many would be copied again."""
        rows, stride, again = self.outputs[0], self.stride[0], self._span - self.stride[0]
        most = (room - self._span) // stride + 1 if room >= self._span else 0
        return most if most and (rows <= most or 3 * again <= most * stride) else 0

    def _rows_of_band(self, room: int) -> int:
        """``rows_of_band`` of direct_bands.h."""
        rows, most = self.outputs[0], self._most_rows(room)
        return -(-rows // -(-rows // most)) if most else 0

    @property
    def _banded(self) -> float:
        """Cycles of the copies of all bands, and of what comes before each."""
        bands = -(-self.outputs[0] // self._band)
        (taps, _), (stride, _), (apart, _) = self.kernel, self.stride, self.dilation
        rows = bands * (self._span - stride) + self.outputs[0] * stride
        read = len({tap * apart % stride for tap in range(taps)}) / stride
        return rows * read * self._row_cycles + bands * self.begun

    @property
    def _row_cycles(self) -> float:
        """Of a copied row."""
        looped, fours = self._inputs >= _LOOPED, -(-self._inputs // _FOUR_VALUES)
        by_elements = self.from_bytes or self._inputs % 2 == 1
        if self._pixel != self._inputs and by_elements and fours <= _FEW_FOURS:
            pixel = _FEW + fours * _FOUR if fours > 1 else _ONE_FOUR
            return self._reached * pixel + _COPIED_ROW
        word = _WIDENED if self.from_bytes else _COPIED
        if self.from_bytes:
            alone = _BYTES_END if looped else _APART
        else:
            alone = _HALVES_END if looped and self._inputs % 2 else _HALF_PIXEL
        pixel = self._inputs / 2 * word + (self._pixel != self._inputs) * alone
        return self._reached * pixel + _COPIED_ROW

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
    def columns_in_place(self) -> bool:
        whole = self._inputs % 2 == 0 and self.words == (self.depth + 1) // 2
        alone = whole and max(self.outputs) > 1 and not self.from_bytes
        return self.inside[1] and (self.copied or alone)

    @property
    def is_dense(self) -> bool:
        """Whether a row is copied in one go, as fast as its pixels that are read."""
        few = self.stride[1] * self._inputs <= DIRECT_FEW_VALUES
        return self._pixel == self._inputs and few

    @property
    def _in_place(self) -> bool:
        return self.inside[0] and self.columns_in_place

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
        if not self.columns_in_place:
            return self.outputs[0]
        return min(self.outputs[0], -(-(self._span - 1) // self.stride[0]))

    @property
    def _copies(self) -> float:
        rows = min(self._copied * self.stride[0] + self.kernel[0], self._copied * self.kernel[0])
        return rows * self._row_cycles


def _inside(pads: Pads) -> tuple[bool, bool]:
    return not (pads.top or pads.bottom), not (pads.left or pads.right)


def conv(case: KernelCase) -> Direct:
    """Of a convolution."""
    planes = planes_of(case)
    whole = Direct(
        planes.kernel,
        planes.stride,
        planes.dilation,
        planes.outputs,
        case.groups,
        planes.depth,
        planes.channels,
        inside=_inside(case.pads),
        from_bytes=case.act == "s8",
        has_points=case.act == "s16",
        in_bands=True,
    )
    copied = case.pads.left == 0 and not whole.columns_in_place and not whole.is_dense
    thin = whole.kernel[1] == 1 and copied
    return replace(whole, stride=(whole.stride[0], 1)) if thin else whole


@dataclass(frozen=True)
class Reach:
    """Input rows or columns that the remainders of a transposed convolution reach: from the first
    of output 0 of any on, to the last of output 0 and to the last, and outputs of the most and the
    fewest."""

    begin: int
    first_end: int
    end: int
    most: int
    fewest: int

    @property
    def window(self) -> int:
        return self.first_end - self.begin


def transposed_bytes(case: KernelCase) -> int:
    """Of scratch, of a transposed convolution."""
    every = list(_remainders(case))
    if not _in_bands(case):
        return max((each.bytes for each in every), default=0)
    lists = max((each.lists for each in every), default=0)
    rows = _reaches(case)[0].window + _band(case) - 1
    return lists + rows * _row_bytes(case) + DIRECT_SLACK_BYTES


def transposed_cycles(case: KernelCase) -> float:
    """Estimated: copies are made once for all remainders."""
    every, rows = list(_remainders(case)), _reaches(case)[0]
    bands = -(-rows.most // _band(case)) if _in_bands(case) else 1
    begun = sum(each.begun for each in every) * bands
    own = sum(each.cycles for each in every) + begun
    if not _in_bands(case):
        return own if _is_copied(case) else own * _FAR
    copied = (rows.window - 1) * bands + rows.most
    word = _WIDENED if case.act == "s8" else _COPIED
    return own + copied * (_row_bytes(case) / _WORD * word + _COPIED_ROW)


def _remainders(case: KernelCase) -> Iterator[Direct]:
    """The convolutions of a transposed one that have outputs."""
    in_bands = _in_bands(case)
    inside = in_bands or not _is_copied(case)
    for each in remainders_of(case):
        yield Direct(
            each.kernel,
            each.stride,
            each.dilation,
            each.outputs,
            case.groups,
            each.depth,
            each.channels,
            inside=(inside, inside),
            from_bytes=case.act == "s8" and not in_bands,
            copied=in_bands,
            has_points=case.act == "s16",
        )


def _in_bands(case: KernelCase) -> bool:
    """Whether rows are copied for all remainders, not in a ring for one."""
    rows = _reaches(case)[0]
    return _is_copied(case) and (case.stride != (1, 1) or _band(case) >= rows.window)


def _reaches(case: KernelCase) -> tuple[Reach, Reach]:
    rows, columns = (_reach(case, n) for n in range(2))
    return rows, columns


def _reach(case: KernelCase, n: int) -> Reach:
    kernel, stride, extent = case.kernel[n], case.stride[n], case.out_shape[1 + n]
    cut = (case.pads.top, case.pads.left)[n]
    found = []
    for r in range(stride):
        taps, first = len(range(r, kernel, stride)), (r - cut) % stride
        if outputs := len(range(first, extent, stride)):
            end = (first + cut) // stride + 1
            found.append((end - taps, end, end + outputs - 1, outputs))
    begins, ends, lasts, counts = zip(*found, strict=True)
    return Reach(min(begins), max(ends), max(lasts), max(counts), min(counts))


def _is_copied(case: KernelCase) -> bool:
    """Whether remainders read more than words of the input."""
    rows, columns = _reaches(case)
    depth = case.in_channels // case.groups
    _, tall, wide, channels = case.in_shapes[0]
    inside = min(rows.begin, columns.begin) >= 0 and rows.end <= tall and columns.end <= wide
    whole = channels % 2 == 0 and (depth + 1) // 2 == words_of_tap(depth)
    return case.act == "s8" or not inside or not whole or rows.fewest * columns.fewest == 1


def _row_bytes(case: KernelCase) -> int:
    """Of a copied row."""
    columns, channels = _reaches(case)[1], case.in_channels
    pixel = 2 * words_of_tap(channels) if case.groups == 1 else channels + channels % 2
    return (columns.end - columns.begin) * pixel * _HALF


def _band(case: KernelCase) -> int:
    """Rows of a remainder whose input is copied at once."""
    rows = _reaches(case)[0]
    most = max(1, DIRECT_BAND_BYTES // _row_bytes(case) - rows.window + 1)
    bands = -(-rows.most // most)
    return -(-rows.most // bands)
