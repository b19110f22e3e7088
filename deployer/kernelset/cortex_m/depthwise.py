"""Depthwise convolutions on packed rows."""

from __future__ import annotations

import math
from functools import lru_cache

from deployer.ir import Pads, RequantRule
from deployer.kernelset.blocking.cortex_m import (
    BEGUN_WINDOWS,
    FEW_WINDOWS,
    PASS_BYTES,
    POOL_LIST_TAPS,
    SMALL_CHANNELS,
    TAP_CHANNELS,
    TAP_GROUP_BYTES,
    TAP_SLOT_BYTES,
    TAP_SLOTS,
)
from deployer.kernelset.cortex_m.depthwise_cycles import (
    GAIN,
    WHOLE_GAIN,
    channel_cycles,
    pixel_cycles,
    row_cycles,
    several_cycles,
    three_cycles,
)
from deployer.kernelset.cortex_m.depthwise_pixels import pixel_plan
from deployer.kernelset.cortex_m.depthwise_plan import rows_at_once, scratch_bytes
from deployer.kernelset.cortex_m.strips import ROW_BOUNDS
from deployer.kernelset.kernel import Kernel, KernelCase
from deployer.kernelset.layouts import WeightLayout
from deployer.kernelset.order import AT_ONCE, BY_PIXELS, AccessOrder

_SMALL_WIDTH = 8  # columns of outputs that packed rows compute in two blocks at the most
_PIXEL_BYTES = 24576  # of scratch
_NARROW = 6  # columns in which the planes of 3x3 never make up for packing them
_READ_BEHIND = 3  # taps behind a list
_REGULAR_STRIDE = 2  # at most, of regular networks
_NINE = 9  # taps, which have a loop of their own
_OUTPUTS = 4  # at once
_MOST_FOURS = 1.15  # outputs of fours, to one
_COLUMN_BYTES = TAP_SLOTS * TAP_SLOT_BYTES
_ROW_TERMS = (
    *("threes", "quads", "quad_rows", "quad_terms", "roomed", "runs"),
    *("words", "words_alone", "lines", "weights"),
)


def _depthwise_3x3(case: KernelCase) -> bool:
    shape = case.kernel == (3, 3) and case.dilation == (1, 1) and case.stride in ((1, 1), (2, 2))
    fours = case.multiplier == 1 and case.in_channels % TAP_CHANNELS == 0
    return shape and fours and case.out_shape[2] > _NARROW


def _planes(case: KernelCase) -> tuple[int, int]:
    """Bytes of a plane of packed rows, which holds four channels, and how many a group has."""
    width, stride = case.out_shape[2], case.stride[1]
    plane = ((width - 1) * stride + 3) * _COLUMN_BYTES
    return plane, min(max(1, TAP_GROUP_BYTES // plane), case.in_channels // TAP_CHANNELS)


def _plane_scratch(case: KernelCase) -> int:
    """The planes of a group of channels, and what the inner loop reads beyond."""
    plane, planes = _planes(case)
    return planes * plane + _COLUMN_BYTES


def _by_two_rows(case: KernelCase) -> AccessOrder | None:
    """A second group of channels reads the input again, when the first is written."""
    whole = _planes(case)[1] * TAP_CHANNELS == case.in_channels
    return AccessOrder(rows=2, buffered=True) if whole else None


def _by_bands(case: KernelCase) -> AccessOrder | None:
    rows = rows_at_once(case)
    return AccessOrder(rows=rows, buffered=True) if rows else None


def _along_channels(case: KernelCase) -> bool:
    """Nine taps where packing rows costs more than it saves: strides that share few columns, and
    planes that fill few blocks of outputs."""
    few = case.stride[1] > 2 or case.out_shape[2] <= _SMALL_WIDTH
    nine = math.prod(case.kernel) == _NINE
    return nine and few and case.multiplier == 1 and case.in_channels % TAP_CHANNELS == 0


def _list_bytes(case: KernelCase) -> int:
    """Rows of taps, and two lists of taps with those read behind."""
    return 4 * (case.kernel[0] + 2 * (math.prod(case.kernel) + _READ_BEHIND))


def _list_scratch(case: KernelCase) -> int:
    """Lists, and a pixel of zero points."""
    return _list_bytes(case) + case.in_channels


def _one_tap(case: KernelCase) -> bool:
    return case.kernel == (1, 1) and case.pads == Pads()


def _few_channels(case: KernelCase) -> bool:
    """Windows of few taps, of few channels: pixel by pixel."""
    few = case.multiplier == 1 and case.in_channels <= SMALL_CHANNELS
    return few and math.prod(case.kernel) <= POOL_LIST_TAPS and not _one_tap(case)


def _has_pixels(case: KernelCase) -> bool:
    """More than one, for which a list pays."""
    return math.prod(case.out_shape[1:3]) > 1


def _by_pixels(case: KernelCase) -> bool:
    """Of whole tensors, any window whose lists and copies have room."""
    return not _one_tap(case) and _pixel_scratch(case) <= _PIXEL_BYTES


def _pixel_scratch(case: KernelCase) -> int:
    """Fours of pixels, steps from tap to tap, and copies of what windows read beyond the input."""
    return pixel_plan(case).bytes


@lru_cache(maxsize=1024)
def _pixels_are_dearer(case: KernelCase) -> bool:
    """Whether another kernel takes the case in about as few cycles, or by its rule fours are C."""
    if case.rule != RequantRule.Q32:
        return True
    others = [_along_cycles(case)]
    if _shares_elements(case):
        others.append(several_cycles(case))
    if _depthwise_3x3(case):
        others.append(three_cycles(case))
    fours = case.in_channels % TAP_CHANNELS == 0
    regular = fours and case.multiplier == 1 and max(case.stride) <= _REGULAR_STRIDE
    gain = WHOLE_GAIN if regular else GAIN
    return pixel_cycles(case) >= gain * min(others)


def _along_cycles(case: KernelCase) -> float:
    """By channels or on packed rows."""
    rows = row_cycles(case)
    return min(rows, channel_cycles(case)) if _by_channels(case) else rows


def _by_channels(case: KernelCase) -> bool:
    """The same for any number of channels, multiplier and type."""
    return case.in_channels >= TAP_CHANNELS and not _one_tap(case)


@lru_cache(maxsize=1024)
def _rows_are_cheaper(case: KernelCase) -> bool:
    return row_cycles(case) <= channel_cycles(case)


def _fills_words(case: KernelCase) -> bool:
    return case.in_channels * case.element_bytes % 4 == 0


def _may_copy(case: KernelCase) -> bool:
    """Whether pixels are no whole words, and by the strides taken often enough."""
    return not _fills_words(case) and _windows(case) > _few(case) * math.prod(case.stride)


def _copies(case: KernelCase) -> bool:
    """The same of the windows that there are."""
    (_, tall, wide, _), (_, height, width, _) = case.in_shapes[0], case.out_shape
    return _may_copy(case) and _windows(case) * height * width > _few(case) * tall * wide


def _few(case: KernelCase) -> int:
    """Windows of a pixel for which copying it costs more."""
    dear = case.act == "s16" or math.prod(case.kernel) == _NINE
    return (FEW_WINDOWS if dear else FEW_WINDOWS // 2) + BEGUN_WINDOWS // _fours(case)


def _fours(case: KernelCase) -> int:
    return -(-case.in_channels // TAP_CHANNELS)


def _windows(case: KernelCase) -> int:
    return math.prod(case.kernel) * case.multiplier


def _channel_scratch(case: KernelCase) -> int:
    """Lists, a pixel of zero points, and the ring of input rows where they may be copied: a
    region's pieces have more or fewer windows a pixel."""
    pixel = _fours(case) * TAP_CHANNELS * case.element_bytes
    rows = (case.kernel[0] - 1) * case.dilation[0] + 1 if _may_copy(case) else 0
    return _list_bytes(case) + pixel * (1 + rows * case.in_shapes[0][2])


def _pixel_order(case: KernelCase) -> AccessOrder:
    """At once where channels in chunks are taken one after another; a row at a time where a channel
    has several outputs, each of which takes the row's pixels in turn."""
    if _copies(case):
        return AccessOrder(buffered=True, once=True)
    if _weights_pass(case):
        return AT_ONCE
    return BY_PIXELS if case.multiplier == 1 else AccessOrder()


def _weights_pass(case: KernelCase) -> bool:
    """Whether the cache does not hold the weights."""
    return case.multiplier * _fours(case) * _run_bytes(case) > PASS_BYTES


def _run_bytes(case: KernelCase) -> int:
    """Of the weights of four outputs."""
    return 4 * (2 * math.prod(case.kernel) + 2 * TAP_CHANNELS)


def _shares_elements(case: KernelCase) -> bool:
    """Several outputs of a channel, fours of which are those of one or two channels, few of them
    computed again."""
    fours = -(-case.multiplier // _OUTPUTS) * _OUTPUTS
    several = case.multiplier == 2 or fours <= _MOST_FOURS * case.multiplier
    enough = case.in_channels > 1 or case.multiplier > 2
    return several and enough and not _one_tap(case)


@lru_cache(maxsize=1024)
def _several_are_dearer(case: KernelCase) -> bool:
    return several_cycles(case) >= _along_cycles(case)


def _runs(case: KernelCase) -> tuple[int, int]:
    """Fours of outputs of a run, and runs."""
    lanes = 2 if case.multiplier == 2 else 1
    return -(-case.in_channels // lanes), -(-case.multiplier // _OUTPUTS)


def _several_scratch(case: KernelCase) -> int:
    """Lists, and a pixel of zero points."""
    lanes = 2 if case.multiplier == 2 else 1
    return _list_bytes(case) + _runs(case)[0] * lanes * case.element_bytes


def _several_order(case: KernelCase) -> AccessOrder:
    """At once where fours in chunks are taken one after another; a row at a time where each run
    takes the row's pixels in turn."""
    fours, runs = _runs(case)
    if fours * runs * _run_bytes(case) > PASS_BYTES:
        return AT_ONCE
    return BY_PIXELS if runs == 1 else AccessOrder()


KERNELS: tuple[Kernel, ...] = (
    *(
        Kernel(
            f"dpl_depthwise_conv2d_{act}__armv7em_1x1",
            op="DepthwiseConv2d",
            act=act,
            when=_one_tap,
            shared=ROW_BOUNDS[act],
            terms=("scaled", "channels"),
        )
        for act in ("s8", "s16")
    ),
    *(
        Kernel(
            f"dpl_depthwise_conv2d_{act}__armv7em_small",
            weighed=False,
            op="DepthwiseConv2d",
            act=act,
            when=_few_channels,
            yields=_has_pixels,
            order=BY_PIXELS,
        )
        for act in ("s8", "s16")
    ),
    *(
        Kernel(
            f"dpl_depthwise_conv2d_{act}__armv7em_pixels",
            weighed=False,
            op="DepthwiseConv2d",
            act=act,
            when=_by_pixels,
            yields=_pixels_are_dearer,
            formula=pixel_cycles,
            scratch=_pixel_scratch,
            weight_layout=WeightLayout.PIXEL_TAPS,
            contiguous=True,
            shared=ROW_BOUNDS[act],
        )
        for act in ("s8", "s16")
    ),
    Kernel(
        "dpl_depthwise_conv2d_s8__armv7em_indirect",
        op="DepthwiseConv2d",
        when=_along_channels,
        yields=_weights_pass,
        scratch=_list_scratch,
        weight_layout=WeightLayout.TAPS_C4,
        order=BY_PIXELS,
        shared=ROW_BOUNDS["s8"],
        terms=("block", "mac", "listed", "row_taps"),
    ),
    Kernel(
        "dpl_depthwise_conv2d_s8__armv7em_3x3",
        op="DepthwiseConv2d",
        when=_depthwise_3x3,
        formula=three_cycles,
        scratch=_plane_scratch,
        weight_layout=WeightLayout.TAPS_3X3,
        order=_by_two_rows,
        row_block=2,
        shared=ROW_BOUNDS["s8"],
        terms=("packed", "block", "tap_row", "row_block", "edge"),
    ),
    *(
        Kernel(
            f"dpl_depthwise_conv2d_{act}__armv7em_several",
            op="DepthwiseConv2d",
            act=act,
            when=_shares_elements,
            yields=_several_are_dearer,
            formula=several_cycles,
            scratch=_several_scratch,
            weight_layout=WeightLayout.TAPS_X4,
            order=_several_order,
            shared=ROW_BOUNDS[act],
            terms=("shared", "shared_taps", "listed", "row_taps"),
        )
        for act in ("s8", "s16")
    ),
    *(
        Kernel(
            f"dpl_depthwise_conv2d_{act}__armv7em_channels",
            op="DepthwiseConv2d",
            act=act,
            when=_by_channels,
            yields=_rows_are_cheaper,
            formula=channel_cycles,
            scratch=_channel_scratch,
            weight_layout=layout,
            order=_pixel_order,
            shared=ROW_BOUNDS[act],
            terms=(
                *("lanes", "lane_taps", "alone_taps", "passes"),
                *("listed", "row_taps", "realigned"),
            ),
        )
        for act, layout in (
            ("s8", WeightLayout.TAPS_C4),
            ("s16", WeightLayout.TAPS_C4_ORDERED),
        )
    ),
    *(
        Kernel(
            f"dpl_depthwise_conv2d_{act}__armv7em",
            op="DepthwiseConv2d",
            act=act,
            scratch=scratch_bytes,
            formula=row_cycles,
            order=_by_bands,
            shared=ROW_BOUNDS[act],
            terms=_ROW_TERMS,
        )
        for act in ("s8", "s16")
    ),
)
