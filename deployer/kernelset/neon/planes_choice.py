"""Whether a convolution in planes takes fewer cycles than in blocks of windows, as one core of a
Cortex-A53 was counted on the layers of three sweeps (docs/bench.md)."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from functools import partial

from deployer.kernelset.access import hwc
from deployer.kernelset.blocking.neon import (
    DEEP_OUTPUTS,
    GROUP_LANES,
    GROUPS_IN_PAIRS,
    LEAST_SLID_TAPS,
    NARROW_BLOCK_PIXELS,
    PLANE_CHANNELS,
    PLANE_FEW_OUTPUTS,
    PLANE_PIXELS,
    PLANE_POSITIONS,
    PLANES_BYTES,
    PLANES_TOGETHER,
    WIDE_STEP_VALUES,
)
from deployer.kernelset.kernel import KernelCase
from deployer.kernelset.neon.depthwise_turn import turned

_FEW = (5.7, 7.7)  # cycles of a value of eight pixels of one output and of two: sixteen at once
_FEW_SLID = (4.1, 6.2)  # the same where taps of a row load their cells once: of two to five taps
_FEW_WHOLE = (3.6, 5.6)  # where all cells are in whole halves of vectors
_FEW_SHARED = 1.15  # of those where convolutions share planes: few cells are in whole halves then
_ORDERED = 8  # of a value of a strip's group of few outputs, of lists and weights by rows
_MOST_SLID, _MOST_APART = 5, 2
_AROUND_LANES, _BEGUN_LANES = 110, 200
_SIXTEEN = (3, 4, 5)  # more outputs of which sixteen pixels are made at once
_FOUR = 4  # channels and cells of a block of a plane
LEAST_GAIN = 1.05  # in the estimate, which is no more exact
_WINOGRAD_SHARE = 0.6  # of what blocks take where the choice by cost may pick Winograd's
_WINOGRAD_CHANNELS = 8  # least of both, so that it pays
# more than the terms of blocks and of lanes say: weights and windows of int16 from the second
# cache; windows that sides cut, as those are that a transposed convolution consists of
_WIDE_BLOCKS, _CUT_BLOCKS, _CUT_LANES = 1.08, 1.2, 1.15


# of a step of two outputs and of one, of two outputs' begin of a tap, more of a step where pixels
# are not in whole halves of vectors
_LANES = {"s8": (54, 33, 45, 5), "s16": (46, 26, 60, 12)}


# what is around an output of a block of groups: of one a group, of few, of more
_AROUND_GROUPS = {GROUP_LANES: (120, 155, 210), GROUPS_IN_PAIRS: (190, 190, 235)}


@dataclass(frozen=True)
class Shape:
    """Of a group: channels, outputs, what windows span of planes, how many planes a channel is."""

    depth: int
    outputs: int
    taps: int
    tall: int
    wide: int
    remainders: int

    @property
    def values(self) -> int:
        return self.taps * self.depth

    def bytes(self, rows: int, columns: int) -> int:
        """Of planes for so many outputs; a plane is in halves of vectors."""
        cells = (rows + self.tall) * (columns + self.wide)
        return self.depth * self.remainders * -(-cells // _FOUR) * _FOUR * 2


def shape_of(case: KernelCase) -> Shape:
    axes = list(zip(case.kernel, case.stride, case.dilation, strict=True))
    tall, wide = (-(-(kernel - 1) * dilation // stride) for kernel, stride, dilation in axes)
    apart = [min(kernel, stride // math.gcd(dilation, stride)) for kernel, stride, dilation in axes]
    return Shape(
        depth=case.in_channels // case.groups,
        outputs=case.out_channels // case.groups,
        taps=math.prod(case.kernel),
        tall=tall,
        wide=wide,
        remainders=math.prod(apart),
    )


def columns_apart(case: KernelCase) -> Shape:
    """With planes of its own for each column of a window, as the kernel may take it where outputs
    are not few."""
    shape, one = shape_of(case), shape_of(replace(case, kernel=(case.kernel[0], 1)))
    return replace(shape, wide=0, remainders=one.remainders * case.kernel[1])


def shapes_of(case: KernelCase) -> Iterator[Shape]:
    """As which the kernel may take a case."""
    shape = shape_of(case)
    yield shape
    if shape.outputs > PLANE_FEW_OUTPUTS and shape.wide > 0:
        yield columns_apart(case)


def strip_rows(shape: Shape, rows: int, columns: int) -> int:
    """Rows of the output whose planes are made together."""
    few = min(rows, PLANE_POSITIONS // (columns + shape.wide))
    fitting = (n for n in range(few, 1, -1) if shape.bytes(n, columns) <= PLANES_BYTES)
    return next(fitting, 1)


def narrowed(case: KernelCase) -> KernelCase:
    """With one tap of each kernel row."""
    return replace(case, kernel=(case.kernel[0], 1))


def yields(parts: Iterable[KernelCase], *, transposed: bool = False, joined: bool = False) -> bool:
    """Whether blocks take the convolutions that a layer consists of; `joined`: planes may be made
    once for all of them."""
    parts = list(parts)
    blocks = sum(_WINOGRAD_SHARE ** in_tiles(part) * in_blocks(part) for part in parts)
    return LEAST_GAIN * in_planes_of(parts, joined=joined) > blocks


def in_tiles(case: KernelCase) -> bool:
    """Whether Winograd's kernel may take a layer that blocks get first."""
    shape = shape_of(case)
    window = (case.kernel, case.stride, case.dilation) == ((3, 3), (1, 1), (1, 1))
    many = min(shape.depth, shape.outputs) >= _WINOGRAD_CHANNELS
    return case.act == "s8" and case.groups == 1 and window and many


def in_planes_of(parts: list[KernelCase], *, joined: bool) -> float:
    separate = sum(map(in_planes, parts))
    if not joined:
        return separate
    few = shape_of(parts[0]).outputs <= PLANE_FEW_OUTPUTS
    products = (_FEW_SHARED if few else 1) * sum(_products(part, shape_of(part)) for part in parts)
    return min(separate, products + max(_filling(part, shape_of(part)) for part in parts))


def in_planes(case: KernelCase) -> float:
    """Cycles of all groups."""
    case = _trimmed(case)
    rows = hwc(case.out_shape)[0]
    turns = (1 in case.kernel and is_narrow(case)) or _is_short(case)
    fits = shape_of(turned(case)).bytes(1, rows) <= PLANES_BYTES
    return _in_planes(_in_phases(turned(case) if turns and fits else case)) * _phases(case)


def _is_short(case: KernelCase) -> bool:
    """Short rows of windows in a row, which are columns where that has no more positions; the same
    in planes.h."""
    (rows, columns, _), (down, across) = hwc(case.out_shape), case.kernel
    in_row = down == 1 < across and case.dilation[1] == 1
    short = columns < 2 * PLANE_PIXELS <= rows
    return in_row and short and columns * _pitch(turned(case)) <= rows * _pitch(case)


def _phases(case: KernelCase) -> int:
    """Convolutions of rows that are neighbours which a dilated one is taken as; the same in
    planes_phases.h."""
    shape, (rows, columns, _) = shape_of(case), hwc(case.out_shape)
    whole = case.dilation[0] % case.stride[0] == 0 and case.kernel[0] > 1
    one = strip_rows(shape, rows, columns) >= rows
    phased = case.op == "Conv2d" or case.op == "DepthwiseConv2d"
    return case.dilation[0] // case.stride[0] if phased and whole and not one else 1


def _in_phases(case: KernelCase) -> KernelCase:
    """One of them, the tallest."""
    count = _phases(case)
    if count == 1:
        return case
    (high, wide, depth), (rows, columns, outputs) = map(hwc, (case.in_shapes[0], case.out_shape))
    return replace(
        case,
        in_shapes=((1, -(-high // case.dilation[0]), wide, depth),),
        out_shape=(1, -(-rows // count), columns, outputs),
        stride=(1, case.stride[1]),
        dilation=(1, case.dilation[1]),
    )


def _trimmed(case: KernelCase) -> KernelCase:
    """With no more taps than meet an input."""
    tall, wide = (
        min(kernel, ((out - 1) * stride + extent - 1) // dilation + 1)
        for kernel, stride, dilation, out, extent in zip(
            case.kernel,
            case.stride,
            case.dilation,
            hwc(case.out_shape)[:2],
            hwc(case.in_shapes[0])[:2],
            strict=True,
        )
    )
    few = hwc(case.out_shape)[1] < min(_FOUR, hwc(case.out_shape)[0])
    kept = tall == 1 or (wide == 1 and few)  # of columns: those that meet an input
    return replace(case, kernel=(tall, wide if kept else case.kernel[1]))


def _in_planes(case: KernelCase) -> float:
    return min(_products(case, shape) + _filling(case, shape) for shape in shapes_of(case))


def _products(case: KernelCase, shape: Shape) -> float:
    """Cycles of all groups where planes are there, and of listing where outputs go."""
    rows, columns, _ = hwc(case.out_shape)
    strips = -(-rows // strip_rows(shape, rows, columns))
    between = (rows - strips) * shape.wide / 2  # padding is shared by rows
    blocks = -(-(rows * columns + between) // PLANE_PIXELS) + strips - 1
    each = list(pieces(shape.outputs))
    value = _few(case, shape) or partial(_value, long_rows=columns >= 2 * PLANE_PIXELS)
    products = blocks * sum(shape.values * value(n) + _around(n) for n in each)
    ordered = _ORDERED * strips * shape.values if shape.outputs <= PLANE_FEW_OUTPUTS else 0
    begun = sum(map(_begun, each))
    return case.groups * (products + ordered + begun) + 4 * rows * columns + 300


def _filling(case: KernelCase, shape: Shape) -> float:
    """Of making planes."""
    rows, columns, _ = hwc(case.out_shape)
    count = -(-rows // strip_rows(shape, rows, columns))
    high, wide = (
        -(-n // stride) for n, stride in zip(hwc(case.in_shapes[0]), case.stride, strict=False)
    )
    read = min(rows + count * shape.tall, high + (count - 1) * shape.tall) * shape.remainders
    together = max(1, min(case.groups, PLANES_TOGETHER // shape.depth))
    if columns == wide == _pitch(case) and case.stride[1] == 1:  # rows that follow one another
        line, cells = count * shape.remainders, -(-read * columns // shape.remainders // count)
    else:
        line, cells = read, min(columns + shape.wide, wide)
    row = 20 + -(-together * shape.depth // _FOUR) * (24 + 22 * -(-cells // _FOUR))
    return -(-case.groups // together) * (line * row + 150 * count)


def pieces(outputs: int) -> Iterator[int]:
    count = -(-outputs // PLANE_CHANNELS)
    return ((outputs + count - 1 - i) // count for i in range(count))


def _few(case: KernelCase, shape: Shape) -> Callable[[int], float] | None:
    """Where outputs are few and their cells take less than others: taps of a kernel row load them
    once, or none is across halves of vectors."""
    wide, stride, dilation = case.kernel[1], case.stride[1], case.dilation[1]
    even = dilation % stride == 0
    dense = even or (wide % stride == 0 and dilation == 1)
    row, apart = (wide, dilation // stride) if even else (wide // stride, 1)
    pays = row and shape.values - shape.values // row >= LEAST_SLID_TAPS
    slides = dense and pays and 1 < row <= _MOST_SLID and apart <= _MOST_APART
    if shape.outputs > PLANE_FEW_OUTPUTS:
        return None
    if wide == 1 and hwc(case.out_shape)[1] % _FOUR == 0:
        return lambda outputs: _FEW_WHOLE[outputs - 1]
    return (lambda outputs: _FEW_SLID[outputs - 1]) if slides else None


def _value(outputs: int, long_rows: bool) -> float:
    """Of eight pixels and so many outputs; of rows of sixteen pixels or more these go together."""
    if outputs <= len(_FEW):
        return _FEW[outputs - 1]
    together = long_rows and outputs in _SIXTEEN
    return 2 * outputs + (1.9 if together else 3.8 + (outputs > 4))


def _around(outputs: int) -> int:
    """Of what is around the products of eight pixels; eight outputs are lanes."""
    if outputs == PLANE_CHANNELS:
        return _AROUND_LANES
    if outputs in _SIXTEEN:
        return 30 + 9 * outputs
    return 18 + 10 * outputs if outputs <= len(_FEW) else 34 + 14 * outputs


def _begun(outputs: int) -> int:
    """Of a piece of a strip, whose tables become those of lanes where it has eight outputs."""
    return _BEGUN_LANES if outputs == PLANE_CHANNELS else 70


def in_lanes(case: KernelCase) -> float:
    """Cycles of all groups: eight pixels at a time, two outputs, eight values of a tap."""
    shape, (rows, columns, _) = shape_of(case), hwc(case.out_shape)
    steps = -(-shape.depth // WIDE_STEP_VALUES)
    of_two, of_one, begun, cut = _LANES[case.act]
    halves = case.in_channels % WIDE_STEP_VALUES if case.act == "s8" else case.in_channels % _FOUR
    more = cut if halves else 0
    pairs, left = divmod(shape.outputs, DEEP_OUTPUTS)
    tap = pairs * (begun + (of_two + more) * steps) + left * (45 + (of_one + more) * steps)
    row = 60 * (pairs + left) * case.kernel[0]
    blocks = -(-rows * columns // PLANE_PIXELS)
    piece = 150 * (pairs + left)
    cuts = _CUT_LANES if case.op == "ConvTranspose2d" else 1
    return cuts * blocks * (case.groups * (shape.taps * tap + row + piece) + 100)


def lanes_of(case: KernelCase) -> int:
    """Groups of which a cell has a value: of less than eight two cells are a vector."""
    return GROUP_LANES if case.groups >= GROUP_LANES else GROUPS_IN_PAIRS


def in_groups_of(parts: list[KernelCase], *, joined: bool) -> float:
    """Cycles of all groups, eight at a time; `joined` as of ``yields``."""
    one_by_one = list(map(fewer_positions, parts))
    separate = sum(_group_products(part) + _group_filling(part) for part in one_by_one)
    if not joined:
        return separate
    return min(separate, sum(map(_group_products, parts)) + max(map(_group_filling, parts)))


def _group_products(case: KernelCase) -> float:
    """Eight positions by an output of each group, where planes are there."""
    shape, (rows, columns, _) = shape_of(case), hwc(case.out_shape)
    lanes = lanes_of(case)
    blocks = -(-rows * _pitch(case) // (PLANE_PIXELS * GROUP_LANES // lanes))
    first, few, many = _AROUND_GROUPS[lanes]
    around = first if shape.outputs == 1 else few if shape.outputs <= _FOUR else many
    products = blocks * shape.outputs * (27 * shape.values + around)
    return -(-case.groups // lanes) * products + 3 * rows * columns + 400


def fewer_positions(case: KernelCase) -> KernelCase:
    """Rows as columns where planes have an eighth fewer positions so; the same in
    planes_shape.h."""
    other = turned(case)
    own, others = (hwc(each.out_shape)[0] * _pitch(each) for each in (case, other))
    fits = lanes_of(case) * shape_of(other).bytes(1, hwc(other.out_shape)[1]) <= PLANES_BYTES
    return other if fits and 8 * others <= 7 * own else case


def is_narrow(case: KernelCase) -> bool:
    """Whether rows have few pixels."""
    rows, columns, _ = hwc(case.out_shape)
    return columns < min(_FOUR, rows)


def _pitch(case: KernelCase) -> int:
    """Cells of a row of a plane, by the case's own pads: neighbouring rows share padding."""
    left, stride, width = case.pads.left, case.stride[1], hwc(case.out_shape)[1]
    first = -left // stride
    span = ((case.kernel[1] - 1) * case.dilation[1] - left) // stride - first
    whole = width + span
    if case.op == "ConvTranspose2d":  # of remainders, whose pads it does not say
        return width - -span // 2
    inputs = -(-hwc(case.in_shapes[0])[1] // stride) - first
    return min(whole, max(width, inputs, whole + first))


def _group_filling(case: KernelCase) -> float:
    """Of making planes."""
    shape, (rows, columns, _) = shape_of(case), hwc(case.out_shape)
    lanes = lanes_of(case)
    strip = strip_rows(replace(shape, depth=lanes * shape.depth), rows, columns)
    count = -(-rows // strip)
    high, wide = (
        -(-n // stride) for n, stride in zip(hwc(case.in_shapes[0]), case.stride, strict=False)
    )
    read = min(rows + count * shape.tall, high + (count - 1) * shape.tall) * shape.remainders
    cell = _cell if lanes == GROUP_LANES else _half_cell
    line = 3 if columns == wide == _pitch(case) else 40  # rows that follow one another are one
    row = line + min(columns + shape.wide, wide) * cell(shape.depth, case.act)
    return -(-case.groups // lanes) * (read * row + 250 * count)


def _cell(depth: int, act: str) -> float:
    """Of making cells of a pixel of eight groups."""
    by_turns = (6, 9, 14, 18)  # where a load parts a group's channels
    if depth <= len(by_turns):
        return by_turns[depth - 1]
    if depth >= GROUP_LANES:
        return 12 + (40 if act == "s8" else 66) * -(-depth // GROUP_LANES)
    return 12 + 40 * -(-depth // _FOUR)


def _half_cell(depth: int, act: str) -> float:
    """Of a pixel of four groups."""
    by_turns = (4, 5, 6)
    if depth <= len(by_turns):
        return by_turns[depth - 1]
    return 3 + (25 if act == "s8" else 20) * -(-depth // _FOUR)


def in_blocks(case: KernelCase) -> float:
    """Cycles of all groups."""
    shape, (rows, columns, _) = shape_of(case), hwc(case.out_shape)
    size = 2 if case.act == "s16" else 1
    steps = -(-shape.values * size // 16)
    pixels = rows * columns
    if case.act == "s8":
        pixels = -(-pixels // NARROW_BLOCK_PIXELS) * NARROW_BLOCK_PIXELS
    if case.act == "s16":
        products = -(-shape.outputs // 8) * (18.0 * steps + 26)
    else:
        products = -(-shape.outputs // 4) * (15.5 * steps + 25)
    in_place = case.kernel == (1, 1) and shape.depth * size % 16 == 0
    merged = case.dilation[1] == 1 and case.groups == 1
    runs = case.kernel[0] * (1 if merged else case.kernel[1])
    run_bytes = shape.values * size / runs
    inside = _inside(case)
    gathered = runs * (9 + run_bytes / 5)
    cut = 40 + case.kernel[0] * 40 + runs * (8 + run_bytes / 5)
    row = 150 / columns
    pixel = row if in_place else row + inside * gathered + (1 - inside) * cut
    more = _WIDE_BLOCKS if case.act == "s16" else 1
    more *= _CUT_BLOCKS if case.op == "ConvTranspose2d" else 1
    return more * case.groups * (pixels * products + rows * columns * pixel + 200)


def _inside(case: KernelCase) -> float:
    """Share of columns whose windows no side cuts."""
    columns = hwc(case.out_shape)[1]
    span = (case.kernel[1] - 1) * case.dilation[1]
    before = -(-case.pads.left // case.stride[1])
    room = hwc(case.in_shapes[0])[1] - 1 - span + case.pads.left
    end = room // case.stride[1] + 1 if room >= 0 else 0
    return max(0, min(end, columns) - before) / columns
