"""Pools: rows of the input folded into a strip, then the strip's columns."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

from deployer.ir import Pads
from deployer.kernelset.blocking.cortex_m import (
    MAX_HALFWORD_TAPS,
    POOL_ALIGNMENT,
    POOL_BAND_ROWS,
    POOL_CHANNELS,
    POOL_COLUMNS,
    POOL_GROUP_BYTES,
    POOL_JOINED_GROUPS,
    POOL_LINE_BYTES,
    POOL_LIST_TAPS,
    POOL_NEAR_ROWS,
    POOL_RUN_BYTES,
    POOL_SLIDE,
    POOL_STRIP,
)
from deployer.kernelset.cortex_m.pool_choice import (
    average_by_taps,
    average_is_small,
    average_tap_cycles,
    extreme_by_taps,
    extreme_is_small,
    extreme_tap_cycles,
    fold_cycles,
    is_near,
    sum_cycles,
)
from deployer.kernelset.cortex_m.pool_small import (
    BY_PRODUCTS,
    in_columns,
    in_lines,
    in_mean_columns,
    small_average_cycles,
    small_extreme_cycles,
)
from deployer.kernelset.kernel import Kernel, KernelCase, always
from deployer.kernelset.order import AT_ONCE, BY_PIXELS, AccessOrder

_GROUP = 16  # channels at a time


@dataclass(frozen=True)
class _Blocks:
    """Rows, columns and channels of outputs; ``pitch``: elements of a row of the strip."""

    rows: int
    columns: int
    channels: int
    pitch: int


def _blocks(case: KernelCase) -> _Blocks:
    """As ``dpl/cortex_m/pool_blocks.h`` has them."""
    _, height, columns, channels = case.out_shape
    stride, single = case.stride[1], _under(case, 1)
    row = _pitch(_under(case, columns) * channels)
    if row <= POOL_STRIP:
        return _Blocks(min(height, POOL_STRIP // row), columns, channels, row)
    room = POOL_STRIP - _pitch(0)
    if channels * _under(case, POOL_COLUMNS) <= room:
        fit = (room // channels - single) // stride + 1
        return _Blocks(1, fit, channels, _pitch(_under(case, fit) * channels))
    every = room // _under(case, columns) // 4 * 4
    most = max(4, min(room // single // 4 * 4, max(every, POOL_CHANNELS)))
    parts = -(-channels // most)
    each = -(-channels // parts)
    count = min(channels, (each + 3) // 4 * 4)
    left = room // count - single
    columns = min(columns, left // stride + 1 if left >= 0 else 1)
    return _Blocks(1, columns, count, _pitch(_under(case, columns) * count))


def _under(case: KernelCase, outputs: int) -> int:
    """Columns of the input below so many outputs."""
    return (outputs - 1) * case.stride[1] + (case.kernel[1] - 1) * case.dilation[1] + 1


def _pitch(elements: int) -> int:
    return (elements + 2 * POOL_ALIGNMENT - 1) // POOL_ALIGNMENT * POOL_ALIGNMENT


def _strip(case: KernelCase, sums: int) -> int:
    """Of blocks as the case stands, and as the kernel may turn it."""
    blocks = [_blocks(each) for each in (case, *_turned(case, sums))]
    elements = max(each.rows * each.pitch for each in blocks)
    return elements * case.element_bytes * sums + POOL_LINE_BYTES


def _turned(case: KernelCase, sums: int) -> Iterator[KernelCase]:
    """``make_line`` and ``make_column`` of ``dpl/cortex_m/pool_strip.h``. Pieces of a region may
    be as narrow, or one output, where the whole is not."""
    channels, pads = case.out_channels, case.pads
    if case.kernel[1] == 1 and not (pads.left or pads.right):
        yield replace(
            case,
            out_shape=(1, 1, case.out_shape[1], channels),
            kernel=(1, case.kernel[0]),
            stride=(1, case.stride[0]),
            dilation=(1, case.dilation[0]),
            pads=Pads(left=pads.top, right=pads.bottom),
        )
    if sums > 1:
        taps = case.kernel[0] * case.kernel[1]
        yield replace(case, out_shape=(1, 1, 1, channels), kernel=(taps, 1), dilation=(1, 1))


def _is_line(case: KernelCase) -> bool:
    """Pixels one below the other and a window as narrow, whose rows are columns to the kernel."""
    padded = case.pads.left or case.pads.right
    narrow = case.in_shapes[0][2] == case.out_shape[2] == case.kernel[1] == 1
    run = case.stride[0] == 1 or case.out_channels < POOL_CHANNELS // 2
    return narrow and run and not padded and case.out_shape[1] > 1


def _by_blocks(case: KernelCase) -> AccessOrder | None:
    """A block with all its channels is in the strip before its first output is written. Columns
    before the first that a window needs are read too, where there are such."""
    if case.dilation[1] > 1 or case.pads.left >= case.kernel[1] or _is_line(case):
        return None
    blocks = _blocks(case)
    whole = blocks.channels == case.out_channels
    return AccessOrder(rows=blocks.rows, columns=blocks.columns, buffered=whole)


def _by_sums(case: KernelCase) -> AccessOrder | None:
    """Sums that are made of those of the block above need its input rows."""
    tall = case.kernel[0] >= POOL_SLIDE * case.stride[0] and case.dilation[0] == 1
    slides = tall and _blocks(case).rows == 1 and case.out_shape[1] > 1
    return None if slides else _by_blocks(case)


def _pools(
    op: str, name: str, act: str, when: Callable[[KernelCase], bool], *, sums: int = 1
) -> Kernel:
    """``sums``: how many times as wide as its input the strip is."""
    across = "added" if sums > 1 else "crossed"
    return Kernel(
        f"dpl_{op}_pool_{act}__armv7em",
        op=name,
        act=act,
        when=when,
        scratch=lambda case: _strip(case, sums),
        formula=sum_cycles if sums > 1 else fold_cycles,
        order=_by_sums if sums > 1 else _by_blocks,
        terms=("call", "folded", across, "apart", "sided", "block", "single"),
    )


def _whole_plane(case: KernelCase) -> bool:
    """One output pixel of all input pixels, whose sums of int8 fit halfwords."""
    _, height, width, _ = case.in_shapes[0]
    plain = not case.pads.any and case.kernel == (height, width)
    return plain and (case.element_bytes > 1 or height * width <= MAX_HALFWORD_TAPS)


def _folded_whole(case: KernelCase) -> bool:
    """One output pixel of all input pixels, in runs of several of them that fill words: those of
    many channels that do not are folded each by itself."""
    _, height, width, channels = case.in_shapes[0]
    plain = case.kernel == (height, width) and not case.pads.any
    each = channels * case.element_bytes
    fits = each % 4 == 0 or each <= 2 * POOL_RUN_BYTES
    return plain and fits and height * width * each >= POOL_RUN_BYTES


def _not_folded_whole(case: KernelCase) -> bool:
    return not _folded_whole(case)


def _halfword_sums(case: KernelCase) -> bool:
    """Whether a column's sum fits a halfword."""
    return case.kernel[0] <= MAX_HALFWORD_TAPS


def _run_bytes(case: KernelCase) -> int:
    """Of so many pixels that they end at a word."""
    each = case.out_channels * case.element_bytes
    few = -(-POOL_RUN_BYTES // each)
    return (few if each % 4 == 0 else -(-few // 4) * 4) * each


def _extreme_whole(op: str, act: str) -> Kernel:
    return Kernel(
        f"dpl_{op.removesuffix('Pool').lower()}_pool_{act}__armv7em_whole",
        op=op,
        act=act,
        when=_folded_whole,
        scratch=_run_bytes,
        order=AccessOrder(columns=1, buffered=True),
        terms=("call", "block", "single", "mac", "single_mac"),
    )


def _whole_sums(case: KernelCase) -> int:
    """As ``pixels_of_row`` of dpl/cortex_m/average_whole.h has them."""
    width, channels, pixels = case.element_bytes, case.out_channels, math.prod(case.kernel)
    group, word = POOL_GROUP_BYTES // width, 4 // width
    full = group // math.gcd(group, channels)
    over = full > 1 and channels < POOL_JOINED_GROUPS * group and 4 * full <= pixels
    if channels >= group and not over:
        return min(channels, POOL_STRIP // 2) * 2 * width
    few = -(-group // channels)
    few = few if channels % word == 0 else -(-few // word) * word
    return min(full if 4 * full <= pixels else few, pixels) * channels * 2 * width


def _pixels(case: KernelCase) -> bool:
    """Where fewer taps are summed pixel by pixel than column by column: windows that hardly meet
    the next one's columns, of pixels of which most groups are full. A strip holds a pixel."""
    (tall, wide), stride, channels = case.kernel, case.stride[1], case.out_channels
    apart = case.out_shape[2] > 1 and stride > 1 and wide <= stride + 1
    full = channels % _GROUP == 0 or channels >= 3 * _GROUP
    return apart and full and tall * wide <= POOL_LIST_TAPS and channels <= POOL_STRIP


def _pixel_sums(case: KernelCase, bytes_each: int) -> int:
    pixels = min(POOL_STRIP // case.out_channels, case.out_shape[2])
    return pixels * case.out_channels * bytes_each


def _by_pixels(case: KernelCase) -> AccessOrder:
    """A pixel's sums are all there before its first mean is written; those of several too."""
    return AccessOrder(columns=1, buffered=True)


def _of_pixels(act: str, bytes_each: int) -> Kernel:
    return Kernel(
        f"dpl_average_pool_{act}__armv7em_pixels",
        op="AveragePool",
        act=act,
        when=_pixels,
        scratch=lambda case: _pixel_sums(case, bytes_each),
        order=_by_pixels,
        terms=("call", "block", "single", "mac", "single_mac"),
    )


def _few_taps(case: KernelCase) -> bool:
    return case.kernel[0] * case.kernel[1] <= POOL_LIST_TAPS


def _average_by_taps(case: KernelCase) -> bool:
    return _few_taps(case) and case.rule in BY_PRODUCTS[case.act]


def _average_taps_are_dearer(case: KernelCase) -> bool:
    """Of int8 not where the strip would have a pixel."""
    pixels = case.act == "s8" and _pixels(case)
    return not pixels and not average_by_taps(case)


def _extreme_by_taps(case: KernelCase) -> bool:
    return _few_taps(case) and not _folded_whole(case)


def _in_taps_order(case: KernelCase) -> AccessOrder | None:
    """In bands, of which columns at the sides are made first, and the last of a run's outputs again
    when all runs are: of rows of less than a group they may be those of a band before. Rows of few
    elements are made in any order."""
    _, _, width, channels = case.out_shape
    group, runs = POOL_GROUP_BYTES // case.element_bytes, case.stride[1] == 1 or width == 1
    if case.stride[0] == 1 and width * channels < group:
        return None
    sided = case.pads.left or case.pads.right
    banded = sided or (runs and width * channels % group)
    rows = POOL_NEAR_ROWS if is_near(case) else POOL_BAND_ROWS
    return AccessOrder(rows=rows if banded else 1)


def _average_whole(act: str) -> Kernel:
    return Kernel(
        f"dpl_average_pool_{act}__armv7em_whole",
        op="AveragePool",
        act=act,
        when=_whole_plane,
        scratch=_whole_sums,
        order=_at_once,
        terms=("call", "block", "single", "mac", "single_mac"),
    )


def _average_taps(act: str) -> Kernel:
    return Kernel(
        f"dpl_average_pool_{act}__armv7em_taps",
        weighed=False,
        op="AveragePool",
        act=act,
        when=_average_by_taps,
        yields=_average_taps_are_dearer,
        formula=average_tap_cycles,
        order=_in_taps_order,
    )


def _extreme_taps(op: str, act: str) -> Kernel:
    return Kernel(
        f"dpl_{op.removesuffix('Pool').lower()}_pool_{act}__armv7em_taps",
        weighed=False,
        op=op,
        act=act,
        when=_extreme_by_taps,
        yields=lambda case: not extreme_by_taps(case),
        formula=extreme_tap_cycles,
        order=_in_taps_order,
    )


def _small(op: str, act: str, is_small: Callable[[KernelCase], bool]) -> Kernel:
    """Of little work, which to plan otherwise would take longer."""
    formula = small_average_cycles if op == "AveragePool" else small_extreme_cycles
    return Kernel(
        f"dpl_{op.removesuffix('Pool').lower()}_pool_{act}__armv7em_small",
        weighed=False,
        op=op,
        act=act,
        when=_few_taps,
        yields=lambda case: not is_small(case),
        formula=formula,
        order=_in_lines if op == "AveragePool" else _in_columns,
    )


def _in_lines(case: KernelCase) -> AccessOrder:
    return AT_ONCE if in_lines(case) or in_mean_columns(case) else BY_PIXELS


def _in_columns(case: KernelCase) -> AccessOrder:
    return AT_ONCE if in_columns(case) else BY_PIXELS


def _at_once(case: KernelCase) -> AccessOrder:
    return AccessOrder(columns=1, buffered=case.out_channels <= POOL_STRIP // 2)


KERNELS: tuple[Kernel, ...] = (
    _average_whole("s8"),
    _average_whole("s16"),
    _small("AveragePool", "s8", average_is_small),
    _small("AveragePool", "s16", average_is_small),
    _average_taps("s8"),
    _of_pixels("s8", 2),
    _average_taps("s16"),
    _pools("average", "AveragePool", "s8", _halfword_sums, sums=2),
    _pools("average", "AveragePool", "s16", always, sums=2),
    _small("MaxPool", "s8", extreme_is_small),
    _small("MaxPool", "s16", extreme_is_small),
    _extreme_taps("MaxPool", "s8"),
    _extreme_taps("MinPool", "s8"),
    _extreme_taps("MaxPool", "s16"),
    _extreme_whole("MaxPool", "s8"),
    _extreme_whole("MaxPool", "s16"),
    _pools("max", "MaxPool", "s8", _not_folded_whole),
    _pools("max", "MaxPool", "s16", _not_folded_whole),
    _pools("min", "MinPool", "s8", always),
)
