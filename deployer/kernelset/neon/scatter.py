"""Transposed convolutions of few outputs a group: what an input pixel adds to outputs, in lanes."""

from __future__ import annotations

from collections.abc import Iterator

from deployer.kernelset.access import hwc
from deployer.kernelset.blocking.neon import (
    GROUPS_IN_PAIRS,
    SCATTER_ROWS,
    SCRATCH_CORES,
    WIDE_STEP_VALUES,
)
from deployer.kernelset.kernel import Kernel, KernelCase
from deployer.kernelset.layouts import WeightLayout
from deployer.kernelset.layouts.scatter import tiles
from deployer.kernelset.neon.planes import may_join, no_gaps, remainders
from deployer.kernelset.neon.planes_choice import (
    LEAST_GAIN,
    in_blocks,
    in_groups_of,
    in_lanes,
    in_planes_of,
)

_LANES, _SIXTEEN = 4, 16
_ALIGNED_BYTES = 16
_MOST_BYTES = 24576  # of sums and copies, so that they stay in a first cache of 32 KiB
_ELEMENT_BYTES = {"s8": 1, "s16": 2}
# cycles
_CHANNEL, _VECTOR = 1, 5  # of a tile's channel, and of each vector of it
_SUMS = 12  # of loading and storing those of a vector
_TILE, _FINISHED = 25, 2.8  # of a tile, an output
_COPIED, _COPIED_ONE = 9, 6  # of eight inputs, and of each that is left of a group's
_CALL, _ROW = 90, 200  # of the tiles of a strip, each; of a row of outputs


def _multiple(size: int, of: int) -> int:
    return -(-size // of) * of


def _outputs(case: KernelCase) -> int:
    return case.out_channels // case.groups


def _vectors(case: KernelCase) -> int:
    """Of a kernel row."""
    return -(-case.kernel[1] * _outputs(case) // _LANES)


def _bytes(case: KernelCase) -> int:
    """Of a core: copies, rows of sums, of biases and of multipliers, and outputs of a row."""
    width, out_width = hwc(case.in_shapes[0])[1], hwc(case.out_shape)[1]
    lead = max(0, -case.pads.left)
    reach = (width - 1) * case.stride[1] + case.kernel[1]
    columns = lead + max(reach, out_width + case.pads.left)
    row = 4 * _multiple(columns * _outputs(case) + _LANES - 1, _SIXTEEN)
    held = (SCATTER_ROWS - 1) * case.stride[0] + case.kernel[0]
    pixel = _multiple(case.in_channels // case.groups, _LANES)
    copies = _multiple(2 * SCATTER_ROWS * width * pixel, _ALIGNED_BYTES)
    finished = out_width * _outputs(case) * _ELEMENT_BYTES[case.act]
    return copies + (held + 2) * row + _multiple(finished, _ALIGNED_BYTES)


def _fits(case: KernelCase) -> bool:
    whole = case.in_channels % case.groups == 0 and case.out_channels % case.groups == 0
    return whole and case.rule == "q32" and no_gaps(case) and _bytes(case) <= _MOST_BYTES


def _tiles(case: KernelCase) -> Iterator[float]:
    """Cycles of each for four pixels."""
    depth = case.in_channels // case.groups
    for tile in tiles(case.kernel[0], _vectors(case), case.stride[0]):
        count = tile.stop - tile.start
        yield depth * (_CHANNEL + _VECTOR * count) + count * _SUMS + _TILE


def scattered(case: KernelCase) -> float:
    """Cycles of all groups."""
    high, wide, depth = hwc(case.in_shapes[0])
    rows, columns, channels = hwc(case.out_shape)
    each = list(_tiles(case))
    products = -(-high // SCATTER_ROWS) * (wide * sum(each) + _CALL * len(each))
    apart = 8 / _outputs(case) if case.groups > 1 else 0  # of an output that goes on to its place
    outputs = rows * (columns * channels * (_FINISHED + apart) + case.groups * _ROW)
    eights, left = divmod(depth // case.groups, WIDE_STEP_VALUES)
    copied = case.groups * (eights * _COPIED + left * _COPIED_ONE)
    return case.groups * products + outputs + high * wide * copied


def scattered_or_none(case: KernelCase) -> Iterator[float]:
    """Cycles where they may be."""
    if _fits(case):
        yield scattered(case)


def least_of_others(case: KernelCase) -> float:
    """Cycles of the fastest of the kernels that make a convolution for each remainder."""
    parts, joined = list(remainders(case)), may_join(case)
    others = [sum(map(in_blocks, parts)), in_planes_of(parts, joined=joined)]
    if case.in_channels // case.groups >= WIDE_STEP_VALUES:
        others.append(sum(map(in_lanes, parts)))
    if case.groups >= GROUPS_IN_PAIRS:
        others.append(in_groups_of(parts, joined=joined))
    return min(others)


def _yields(case: KernelCase) -> bool:
    return LEAST_GAIN * scattered(case) > least_of_others(case)


KERNELS: tuple[Kernel, ...] = tuple(
    Kernel(
        f"dpl_conv_transpose2d_{act}__armv8a_scatter",
        weighed=False,
        op="ConvTranspose2d",
        act=act,
        when=_fits,
        yields=_yields,
        scratch=lambda case: SCRATCH_CORES * _bytes(case),
        weight_layout=WeightLayout.SCATTER,
    )
    for act in _ELEMENT_BYTES
)
