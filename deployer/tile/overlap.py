"""How far the output of a step in tiles may lie over its input.

Beside the computing of tile n + 1 tile n is written back, when only what tiles up to n + 1 need has
been read for sure (kernels/runtime/tiles.c). With the output ``offset`` bytes before the input,
what tile n writes must end before the first byte that a later load needs.
"""

from __future__ import annotations

from math import prod

from deployer.ir import hwc
from deployer.tile.layer import Layer
from deployer.tile.memory import Axes

_ALIGN_BYTES = 4
MIN_ROWS = 4  # of a tile that a promised offset leaves possible


def overlap_offset_of_tiles(layer: Layer, axes: Axes, *, channels_inner: bool) -> int | None:
    """Bytes by which the output must begin before an input, both contiguous; None where tiles do
    not go through both from the first row to the last. A larger distance is as safe, but for the 0
    of layers that are ``is_alike``."""
    rows, columns, channels = axes
    if not goes_by_rows(layer):
        return 0
    if columns.count > 1 or (channels.count > 1 and not channels_inner):
        return None
    behind = 2 if channels.count == 1 else 0 if layer.sliced else 1
    _, width, depth = hwc(layer.case.image)
    cuts, (_, across, deep) = rows.cuts, layer.extents
    ends = [(cut.begin + cut.count) * across * deep for cut in cuts]
    firsts = [cut.first * width * depth for cut in cuts[behind:]]
    offset = max((end - first for end, first in zip(ends, firsts, strict=False)), default=0)
    offset *= layer.case.element_bytes
    return -(-max(offset, 0) // _ALIGN_BYTES) * _ALIGN_BYTES


def goes_by_rows(layer: Layer) -> bool:
    """Whether an offset needs tiles of all columns, from the first row to the last."""
    return not is_alike(layer) or bool(layer.overlap_offset)


def is_alike(layer: Layer) -> bool:
    """Whether an element of the output needs those at its own place alone, so that tiles of any
    shape and order can take the bytes of an input."""
    case = layer.case
    point = prod(case.kernel) == 1 and prod(case.stride) == 1
    each = layer.sliced and layer.unit == layer.depth == 1
    return each and point and case.image == case.out_shape
