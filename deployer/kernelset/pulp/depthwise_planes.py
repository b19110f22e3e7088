"""The planes that depthwise 3x3 transposes its input into, and the pieces of a core."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from deployer.kernelset.blocking.pulp import CLUSTER_CORES as CORES
from deployer.kernelset.blocking.pulp import GROUP_CHANNELS as GROUP
from deployer.kernelset.blocking.pulp import PLANE_BYTES, PLANE_SPAN_COLUMNS
from deployer.kernelset.kernel import KernelCase
from deployer.kernelset.pulp.windows import words

TAPS = 3


@dataclass(frozen=True)
class Planes:
    """What a copy holds at most: outputs in columns and rows, groups of channels. ``bytes`` serve
    the copies of any smaller tensor."""

    columns: int
    rows: int
    groups: int
    bytes: int


@dataclass(frozen=True)
class Piece:
    groups: int
    rows: int
    columns: int


def planes_3x3(case: KernelCase) -> Planes:
    stride = case.stride[0]
    height, width = case.out_shape[1:3]
    columns = min(width, PLANE_SPAN_COLUMNS // stride)
    row = GROUP * words(spanned(columns, stride))
    every = row * spanned(height, stride)
    groups = max(-(-(case.in_channels // GROUP) // CORES), 1)
    fit = height if every <= PLANE_BYTES else 1 + (PLANE_BYTES // row - TAPS) // stride
    return Planes(
        columns, fit, max(min(groups, PLANE_BYTES // every), 1), min(every * groups, PLANE_BYTES)
    )


def spanned(outputs: int, stride: int) -> int:
    """Rows or columns of input."""
    return (outputs - 1) * stride + TAPS


def pieces_3x3(case: KernelCase) -> list[Piece]:
    """Those of the core with most of them, of all with most rows."""
    planes, (height, width) = planes_3x3(case), case.out_shape[1:3]
    first, end = _fullest(-(-case.in_channels // GROUP), height)
    found = []
    for groups, rows in _bands(first, end, height, planes.groups):
        for columns in _cut(width, planes.columns):
            found += [Piece(groups, cut, columns) for cut in _cut(rows, planes.rows)]
    return found


def _fullest(groups: int, height: int) -> tuple[int, int]:
    """Rows of groups of a core: whole groups if all cores get as many."""
    if groups % CORES == 0:
        return 0, groups // CORES * height
    shares = [
        (groups * height * i // CORES, groups * height * (i + 1) // CORES) for i in range(CORES)
    ]
    return max(
        shares, key=lambda share: (share[1] - share[0], -(-share[1] // height) - share[0] // height)
    )


def _bands(first: int, end: int, height: int, groups: int) -> Iterator[tuple[int, int]]:
    """Groups at a time and the rows of each."""
    while first < end:
        whole = 1 if first % height else max(min((end - first) // height, groups), 1)
        rows = min(end - first, whole * height - first % height)
        yield whole, rows // whole
        first += rows


def _cut(extent: int, most: int) -> list[int]:
    return [min(most, extent - at) for at in range(0, extent, most)]
