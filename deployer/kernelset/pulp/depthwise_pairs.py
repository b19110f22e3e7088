"""Depthwise convolutions by pairs of taps: the pieces of a core, its scratch and an estimate of
what they take with all in L1, fitted to gap8_sim: within 10 %."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from deployer.kernelset.blocking.pulp import CLUSTER_CORES as CORES
from deployer.kernelset.blocking.pulp import GROUP_CHANNELS as GROUP
from deployer.kernelset.blocking.pulp import PAIRED_BYTES, PAIRED_PIXELS, PAIRED_ROOM_BYTES
from deployer.kernelset.kernel import KernelCase
from deployer.kernelset.layouts.depthwise_pairs import begins_alone, pairs_of

_WIDE = 3  # outputs of a piece across its longer side, about

# Cycles of a call and of a tap's place; of a piece, a pixel's place and a word of zero points; of a
# copy, a line of it, a word or a byte, a word whose bytes are moved; of a run, of three pixels, of
# two of their taps, and how many less one by itself takes. The same of the copies of less than four
# channels, of other lines or of the same, and of their runs, whose three pixels take more.
_CALL, _TAP = 900, 10.3
_PIECE, _LIST, _FILL = 416, 10.2, 0.67
_GROUP, _LINE, _ELEMENT, _SHUFFLED = 73, 14.6, 2.1, 3.1
_AGAIN, _THREES, _PAIR, _ALONE = 81, 80, 30.85, 9
_LANE, _ALIKE, _LANE_LINE, _LANE_RUN, _BYTES = 190, 60, 11.1, 102, 7


@dataclass(frozen=True)
class _Axis:
    """Rows or columns, where the copy leaves out those that no output reads. ``most``: outputs of a
    piece."""

    inputs: int
    outputs: int
    stride: int
    taps: int
    apart: int
    stride_there: int
    window: int
    pad: int
    most: int = 0

    def span(self, outputs: int) -> int:
        return (outputs - 1) * self.stride_there + self.window

    def leaves(self, first: int, outputs: int) -> bool:
        """Whether windows from an output on leave the input."""
        at = first * self.stride - self.pad
        return at < 0 or at + self.apart * (self.span(outputs) - 1) >= self.inputs


@dataclass(frozen=True)
class _Cut:
    """``along``: the axis whose lines cores share; ``inner``: whether neighbours on it are
    neighbours in the copy."""

    along: _Axis
    beside: _Axis
    inner: bool


def _axis(case: KernelCase, axis: int) -> _Axis:
    stride, taps, dilation = case.stride[axis], case.kernel[axis], case.dilation[axis]
    apart = stride if taps == 1 or dilation % stride == 0 else 1
    return _Axis(
        inputs=case.in_shapes[0][1 + axis],
        outputs=case.out_shape[1 + axis],
        stride=stride,
        taps=taps,
        apart=apart,
        stride_there=stride // apart,
        window=1 if taps == 1 else (taps - 1) * dilation // apart + 1,
        pad=(case.pads.top, case.pads.left)[axis],
    )


def pairs_scratch(case: KernelCase) -> int:
    """For each core room, its copy, places of pixels and outputs, and of taps; an odd number of
    words."""
    rows, columns = _axis(case, 0), _axis(case, 1)
    one = 4 * rows.window * columns.window
    every = 4 * rows.span(rows.outputs) * columns.span(columns.outputs)
    copy = min(every, max(one, PAIRED_BYTES))
    places = 8 * (PAIRED_PIXELS + pairs_of(case.kernel))
    return CORES * (PAIRED_ROOM_BYTES + (copy + places | 4))


def _even_part(count: int, most: int) -> int:
    parts = -(-count // most)
    return -(-count // parts)


def _cut(case: KernelCase, groups: int, even: bool) -> _Cut:
    rows, columns = _axis(case, 0), _axis(case, 1)
    across = columns.outputs - columns.window > rows.outputs - rows.window
    along, beside = (columns, rows) if across else (rows, columns)
    lines = along.outputs if even else min(along.outputs, -(-groups * along.outputs // CORES))
    swapped = beside.window > along.window
    counts = (beside.outputs, lines) if swapped else (lines, beside.outputs)
    first = _even_part(counts[0], PAIRED_PIXELS // min(counts[1], _WIDE))
    second = _even_part(counts[1], PAIRED_PIXELS // first)
    long, short = (beside, along) if swapped else (along, beside)
    wide, tall = long.span(first), short.span(second)
    while 4 * wide * tall > PAIRED_BYTES and first + second > 2:
        if second == 1 or (wide > tall and first > 1):
            first = (first + 1) // 2
        else:
            second = (second + 1) // 2
        wide, tall = long.span(first), short.span(second)
    sizes = (second, first) if swapped else (first, second)
    inner = (wide >= tall) != swapped
    return _Cut(replace(along, most=sizes[0]), replace(beside, most=sizes[1]), inner)


def _parts(first: int, count: int, most: int) -> Iterator[tuple[int, int]]:
    for at in range(0, count, most):
        yield first + at, min(most, count - at)


def _shares(groups: int, lines: int, core: int, even: bool) -> Iterator[tuple[int, int, int, int]]:
    """Groups and lines of a core: the first ones and how many."""
    if even:
        first, end = groups * core // CORES, groups * (core + 1) // CORES
        yield first, end - first, 0, lines
        return
    at, end = groups * lines * core // CORES, groups * lines * (core + 1) // CORES
    while at < end:
        group, line = divmod(at, lines)
        whole = (end - at) // lines if line == 0 else 0
        count = whole * lines or min(end - at, lines - line)
        yield group, max(whole, 1), line, count // max(whole, 1)
        at += count


@dataclass(frozen=True)
class _Run:
    """Lines of a core: ``copies`` of so many cycles each, of its lines and of its words or bytes;
    ``runs`` of weights of so many cycles each and, beside products, of three pixels."""

    line: int
    lines: int
    copies: int
    copy: float
    gathered_line: float
    element: float
    runs: int
    run: float
    threes: float


def _runs(case: KernelCase, along: _Axis, core: int, even: bool) -> Iterator[_Run]:
    groups, full = -(-case.in_channels // GROUP), case.in_channels // GROUP
    for group, count, line, lines in _shares(groups, along.outputs, core, even):
        whole = min(count, full - group)
        if whole > 0:
            threes = _THREES + (_BYTES if case.multiplier > 1 else 0)
            runs = whole * case.multiplier
            yield _Run(line, lines, whole, _GROUP, _LINE, _ELEMENT, runs, _AGAIN, threes)
        if whole < count:
            yield from _last_runs(case, full, line, lines)


def _last_runs(case: KernelCase, full: int, line: int, lines: int) -> Iterator[_Run]:
    """Of less than four channels: words of others, or filled byte by byte."""
    outputs = (case.in_channels - full * GROUP) * case.multiplier
    for first in range(0, outputs, GROUP):
        count = min(GROUP, outputs - first)
        parts = 1 if count > 2 else GROUP // count
        each = -(-lines // parts)
        threes = _THREES + _BYTES
        if parts == 1 and case.in_channels >= GROUP:
            yield _Run(line, each, 1, _GROUP, _LINE, _SHUFFLED, 1, _LANE_RUN, threes)
        else:
            lane = _LANE if parts > 1 else _ALIKE
            yield _Run(line, each, GROUP, lane, _LANE_LINE, _ELEMENT, 1, _LANE_RUN, threes)


def pairs_cycles(case: KernelCase) -> float:
    """Of the core that takes longest."""
    groups = -(-case.in_channels // GROUP)
    even = -groups % CORES <= groups >> 3
    cut = _cut(case, groups, even)
    cores = (CORES // 2 - 1, CORES - 1) if even else range(CORES)
    call = _CALL + _TAP * case.kernel[0] * case.kernel[1]
    return call + max(_core_cycles(case, cut, core, even) for core in cores)


def _core_cycles(case: KernelCase, cut: _Cut, core: int, even: bool) -> float:
    beside, taps = cut.beside, case.kernel[0] * case.kernel[1]
    products = _PAIR * pairs_of(case.kernel) - _ALONE * begins_alone(taps)
    cycles, listed = 0.0, (0, 0)
    for run in _runs(case, cut.along, core, even):
        for line, lines in _parts(run.line, run.lines, cut.along.most):
            for across, count in _parts(0, beside.outputs, beside.most):
                spans = cut.along.span(lines), beside.span(count)
                gathered = spans[1] if cut.inner else spans[0]
                leaves = cut.along.leaves(line, lines) or beside.leaves(across, count)
                threes = -(-lines * count // 3)
                cycles += (
                    _PIECE
                    + _LIST * lines * count * (listed != (lines, count))
                    + _FILL * spans[0] * spans[1] * leaves
                    + run.copies * (run.copy + run.gathered_line * gathered)
                    + run.copies * run.element * spans[0] * spans[1]
                    + run.runs * (run.run + threes * (run.threes + products))
                )
                listed = lines, count
    return cycles
