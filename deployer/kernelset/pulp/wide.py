"""Layers of int16 activations and int8 weights."""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import product

from deployer.ir import AFFINE
from deployer.kernelset.blocking.pulp import CALL_ROOM_BYTES
from deployer.kernelset.blocking.pulp import CLUSTER_CORES as CORES
from deployer.kernelset.blocking.pulp import GROUP_CHANNELS as GROUP
from deployer.kernelset.kernel import Kernel, KernelCase
from deployer.kernelset.layouts import WeightLayout
from deployer.kernelset.order import AT_ONCE, AccessOrder
from deployer.kernelset.pulp.cycles import fully_connected_wide_cycles, wide_in_slices
from deployer.kernelset.pulp.interior_cycles import HIGH_RULES, interior_cycles
from deployer.kernelset.pulp.transposed import cut_by_sides_of_remainders, no_gaps, remainder_of
from deployer.kernelset.pulp.windows import (
    covered_bytes,
    cut_by_sides,
    group_channels,
    runs_of,
    words,
)

_POINTER_BYTES, _VALUE_BYTES = 4, 2
# Cycles: of a call; of a block of four windows and an entry of its table; of a word of sixteen
# products each, of a run, of what follows the sums of four channels.
_CALL, _BLOCK, _ENTRY, _WORD, _RUN, _FINISH = 420, 650, 14, 24.3, 6, 150
_HIGH_WORD = 80  # more, by rules of a high word
# Of a depthwise tap of four windows by four channels; of a piece that is called for by itself.
_TAP, _PIECE = 32.5, 120


def _runs(case: KernelCase) -> int:
    """Of a window: kernel rows, or taps."""
    follow = case.dilation[1] == 1 and case.contiguous and case.groups == 1
    rows = follow and not cut_by_sides(case) and case.in_channels % 2 == 0
    return case.kernel[0] if rows else math.prod(case.kernel)


def _in_bytes(case: KernelCase) -> KernelCase:
    """As dpl/pulp/interior.h sees it: two bytes a channel. Taps of odd channels are filled up, so
    that they follow one another as little as dilated ones."""
    shapes = tuple((*shape[:-1], _VALUE_BYTES * shape[-1]) for shape in case.in_shapes)
    across = 1 if case.in_channels % 2 == 0 else 2
    return case.varied(in_shapes=shapes, dilation=(case.dilation[0], case.dilation[1] * across))


def _scratch(case: KernelCase) -> int:
    """Of windows that sides may cut, or of those that none does."""
    return max(_tables(case, _runs(case), group_channels(case)), _interior(_in_bytes(case)))


def _interior(case: KernelCase) -> int:
    """Behind each core's arguments in bytes."""
    runs, zeros = runs_of(case).count, CORES * CALL_ROOM_BYTES
    if case.pads.any:
        few = case.out_shape[2] < GROUP
        zeros += words(case.kernel[1] * group_channels(case)) if few else covered_bytes(case)
    return zeros + CORES * (GROUP * (runs + 1) + runs + 1) * _POINTER_BYTES


def _cycles(case: KernelCase) -> float:
    """Estimated, of one call on eight cores, everything in L1; fitted to gap8_sim."""
    if case.rule in (*AFFINE, *HIGH_RULES) and not cut_by_sides(case):
        return interior_cycles(_in_bytes(case))
    products = math.prod(case.kernel) * -(-group_channels(case) // 2)
    runs = _runs(case)
    return _of_items(case, case.groups, runs, _WORD * products + _RUN * runs)


def _dense_scratch(case: KernelCase) -> int:
    """Both planes of the input, and the sums of all outputs, of each core where cores have
    slices."""
    cores = CORES if wide_in_slices(case) else 1
    return 2 * words(case.in_channels) + cores * 4 * words(case.out_channels)


def _remainders(case: KernelCase) -> Iterator[KernelCase]:
    """The convolutions of a transposed one."""
    for y, x in product(range(case.stride[0]), range(case.stride[1])):
        yield remainder_of(case, (y, x))


def _transposed_scratch(case: KernelCase) -> int:
    """Behind each core's call of a remainder."""
    return CORES * CALL_ROOM_BYTES + max(map(_scratch, _remainders(case)))


def _transposed_cycles(case: KernelCase) -> float:
    return sum(map(_cycles, _remainders(case)))


def _depthwise_scratch(case: KernelCase) -> int:
    return _tables(case, math.prod(case.kernel), case.in_channels)


def _tables(case: KernelCase, runs: int, channels: int) -> int:
    """Zero points for padding, and for each core a table of the runs of four windows and where
    their rows begin."""
    zeros = words(_VALUE_BYTES * case.kernel[1] * channels) if case.pads.any else 0
    return zeros + CORES * (GROUP * (runs + 1) + case.kernel[0]) * _POINTER_BYTES


def _depthwise_cycles(case: KernelCase) -> float:
    taps = math.prod(case.kernel)
    return _of_items(case, 1, taps, _TAP * taps + (_PIECE if case.multiplier > 1 else 0))


def _of_items(case: KernelCase, groups: int, runs: int, sums: float) -> float:
    """Blocks of four windows by pieces of four channels, whose sums take so many cycles."""
    blocks = -(-math.prod(case.out_shape[1:-1]) // GROUP) * groups
    pieces = -(-case.out_channels // groups // GROUP)
    finish = _FINISH if case.rule in AFFINE else _FINISH + _HIGH_WORD
    items = -(-blocks * pieces // CORES)
    begun = -(-items // pieces)
    return _CALL + begun * (_BLOCK + _ENTRY * GROUP * runs) + items * (sums + finish)


_ASSEMBLY = ("four_by_four_s16.S", "four_by_some_s16.S")
_INTERIOR = ("conv2d_s16_interior__xpulpv2.c",)
_CONVOLUTION = (*_INTERIOR, "conv2d_s16__xpulpv2.c")

KERNELS: tuple[Kernel, ...] = (
    Kernel(
        "dpl_conv2d_s16__xpulpv2",
        op="Conv2d",
        act="s16",
        scratch=_scratch,
        weight_layout=WeightLayout.X4C2_RUNS,
        order=AccessOrder(run=GROUP),
        assembly=_ASSEMBLY,
        shared=_INTERIOR,
        cycles=_cycles,
        border_padding=cut_by_sides,
    ),
    Kernel(
        "dpl_fully_connected_s16__xpulpv2",
        op="FullyConnected",
        act="s16",
        scratch=_dense_scratch,
        weight_layout=WeightLayout.X4C4_HALVES,
        order=AT_ONCE,
        assembly=("dense_halves.S", "split_halves.S"),
        cycles=fully_connected_wide_cycles,
    ),
    Kernel(
        "dpl_conv_transpose2d_s16__xpulpv2",
        op="ConvTranspose2d",
        contiguous=True,  # no rings, whose rows lie anyhow
        act="s16",
        when=no_gaps,
        scratch=_transposed_scratch,
        weight_layout=WeightLayout.X4C2_REMAINDERS,
        assembly=_ASSEMBLY,
        shared=_CONVOLUTION,
        cycles=_transposed_cycles,
        border_padding=cut_by_sides_of_remainders,
    ),
    Kernel(
        "dpl_depthwise_conv2d_s16__xpulpv2",
        op="DepthwiseConv2d",
        act="s16",
        when=lambda case: case.in_channels > 1 or case.multiplier == 1,
        scratch=_depthwise_scratch,
        weight_layout=WeightLayout.DEPTHWISE_WIDE,
        order=AccessOrder(run=GROUP),
        assembly=("depthwise_s16.S",),
        cycles=_depthwise_cycles,
    ),
)
