"""Depthwise windows of any kind over planes, four rows by four columns at a time: the pieces of a
core and an estimate of what they take with all in L1, fitted to gap8_sim: within 4 %."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from deployer.kernelset.blocking.pulp import CLUSTER_CORES as CORES
from deployer.kernelset.blocking.pulp import GROUP_CHANNELS as GROUP
from deployer.kernelset.blocking.pulp import PLANE_BYTES, PLANE_SPAN_COLUMNS
from deployer.kernelset.kernel import KernelCase
from deployer.kernelset.pulp.windows import words


@dataclass(frozen=True)
class _TwoWords:
    """Of four rows by four columns and of each of their rows of taps; of the last two columns."""

    block: float
    row: float
    few: float
    few_row: float


# Cycles of a call and of a piece; of sixteen bytes of its planes and of a column of those; of a
# byte where channels are less than four, of their row and of one of them; of a channel of outputs,
# of one of its taps and of four words of them; of four rows of outputs, of four columns of those,
# and the share of what products take that they do take.
_CALL, _PIECE = 700, 209
_TRANSPOSED, _COLUMN = 17.2, 29
_BYTE, _BYTES_ROW, _PLANE = 1.8, 12, 53
_CHANNEL, _TAP, _SPREAD = 185, 2.15, 15.2
_ROWS, _BLOCK, _SHARE = 124.5, 152.4, 1.02
_WORD, _ROW = 24, 6
_TWO_WORDS = _TwoWords(block=125, row=50.5, few=105, few_row=28.5)


@dataclass(frozen=True)
class _Planes:
    """Of a layer: words that four windows of a row span, outputs of a piece at most, and what a
    row of outputs reads."""

    words: int
    columns: int
    rows: int
    tall: int


def _planes(case: KernelCase) -> _Planes:
    (down, across), (height, width) = case.stride, case.out_shape[1:3]
    tall, wide = ((n - 1) * d + 1 for n, d in zip(case.kernel, case.dilation, strict=True))
    count = -(-(3 * across + wide) // 4)
    columns = min(words(width), max(GROUP, PLANE_SPAN_COLUMNS // across // 4 * 4))
    pitch = (columns - GROUP) * across + 4 * count
    fit = max(PLANE_BYTES // (GROUP * pitch) - tall, 0) // down
    return _Planes(count, columns, min(max((fit + 1) // 4 * 4, 4), height), tall)


def _bands(case: KernelCase, core: int) -> Iterator[tuple[int, int]]:
    """Channels and rows of a core."""
    height, channels = case.out_shape[1], case.out_channels
    fours = -(-height // 4)
    every = -(-channels // GROUP) * fours
    at, end = every * core // CORES, every * (core + 1) // CORES
    while at < end:
        group, first = divmod(at, fours)
        count = min(end - at, fours - first)
        rows = min(4 * (first + count), height) - 4 * first
        yield min(GROUP, channels - GROUP * group), rows
        at += count


def blocks_cycles(case: KernelCase) -> float:
    """Of the core that takes longest. Rules i32 and shift."""
    planes = _planes(case)
    shares = {tuple(_bands(case, core)) for core in range(CORES)}
    return _CALL + max(sum(_band_cycles(case, planes, *band) for band in share) for share in shares)


def _band_cycles(case: KernelCase, planes: _Planes, channels: int, rows: int) -> float:
    width = case.out_shape[2]
    return sum(
        _piece_cycles(
            case, planes, channels, min(planes.rows, rows - y), min(planes.columns, width - x)
        )
        for x in range(0, width, planes.columns)
        for y in range(0, rows, planes.rows)
    )


def _piece_cycles(
    case: KernelCase, planes: _Planes, channels: int, rows: int, columns: int
) -> float:
    (down, across), (tall, wide) = case.stride, case.kernel
    strips, fours = -(-columns // 4), -(-rows // 4)
    read, along = (rows - 1) * down + planes.tall, (strips - 1) * across + planes.words
    if case.in_channels < GROUP:
        filled = read * (min(4 * along, case.in_shapes[0][2]) * _BYTE + _BYTES_ROW) + _PLANE
        entered = case.in_channels * filled
    else:
        entered = along * (_COLUMN + _TRANSPOSED * read)
    if planes.words == 2 and case.stride == (1, 1) and case.dilation[0] == 1:
        blocks = _by_two_words(tall, columns)
    else:
        blocks = strips * (_BLOCK + _SHARE * tall * (_WORD * planes.words + _ROW))
    spread = tall * (_TAP * wide + _SPREAD * planes.words)
    return _PIECE + entered + channels * (_CHANNEL + spread + fours * (_ROWS + blocks))


def _by_two_words(tall: int, columns: int) -> float:
    """Four rows of so many columns by the loop of two words (depthwise_two_words.S)."""
    few = columns % 4 in (1, 2)
    wide = -(-columns // 4) - few
    each = _TWO_WORDS.block + _TWO_WORDS.row * tall, _TWO_WORDS.few + _TWO_WORDS.few_row * tall
    return wide * each[0] + few * each[1]
