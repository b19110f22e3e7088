"""Pools: rows of the input folded into a strip, then the strip's columns."""

from __future__ import annotations

from dataclasses import dataclass

from deployer.kernelset.blocking.cortex_m import (
    MAX_HALFWORD_TAPS,
    POOL_ALIGNMENT,
    POOL_CHANNELS,
    POOL_LINE_BYTES,
    POOL_STRIP_BYTES,
)
from deployer.kernelset.kernel import Kernel, KernelCase
from deployer.kernelset.order import AccessOrder


@dataclass(frozen=True)
class _Blocks:
    """Rows, columns and channels of outputs; ``pitch``: elements of a row of the strip."""

    rows: int
    columns: int
    channels: int
    pitch: int


def _blocks(case: KernelCase, width: int) -> _Blocks:
    """As ``dpl/cortex_m/pool_blocks.h`` has them, of strips of elements of ``width`` bytes."""
    room = POOL_STRIP_BYTES // width
    _, height, columns, channels = case.out_shape
    row = _pitch(_under(case, columns) * channels)
    if row <= room:
        return _Blocks(min(height, room // row), columns, channels, row)
    single, room = _under(case, 1), room - _pitch(0)
    every = room // _under(case, columns) // 4 * 4
    most = max(4, min(room // single // 4 * 4, max(every, POOL_CHANNELS)))
    parts = -(-channels // most)
    each = -(-channels // parts)
    count = min(channels, (each + 3) // 4 * 4)
    left = room // count - single
    columns = min(columns, left // case.stride[1] + 1 if left >= 0 else 1)
    return _Blocks(1, columns, count, _pitch(_under(case, columns) * count))


def _under(case: KernelCase, outputs: int) -> int:
    """Columns of the input below so many outputs."""
    return (outputs - 1) * case.stride[1] + (case.kernel[1] - 1) * case.dilation[1] + 1


def _pitch(elements: int) -> int:
    return (elements + 2 * POOL_ALIGNMENT - 1) // POOL_ALIGNMENT * POOL_ALIGNMENT


def _strip(case: KernelCase, sums: int) -> int:
    blocks = _blocks(case, _width(case) * sums)
    return blocks.rows * blocks.pitch * _width(case) * sums + POOL_LINE_BYTES


def _by_blocks(case: KernelCase, sums: int) -> AccessOrder | None:
    """A block with all its channels is in the strip before its first output is written. Columns
    before the first that a window needs are read too, where there are such."""
    if case.dilation[1] > 1 or case.pads.left >= case.kernel[1]:
        return None
    blocks = _blocks(case, _width(case) * sums)
    whole = blocks.channels == case.out_channels
    return AccessOrder(rows=blocks.rows, columns=blocks.columns, buffered=whole)


def _width(case: KernelCase) -> int:
    return int(case.act[1:]) // 8


def _pools(op: str, name: str, act: str, *, sums: int = 1, most_rows: int = 0) -> Kernel:
    """``sums``: how many times as wide as its input the strip is."""
    return Kernel(
        f"dpl_{op}_pool_{act}__armv7em",
        op=name,
        act=act,
        when=lambda case: not most_rows or case.kernel[0] <= most_rows,
        scratch=lambda case: _strip(case, sums),
        order=lambda case: _by_blocks(case, sums),
    )


KERNELS: tuple[Kernel, ...] = (
    _pools("average", "AveragePool", "s8", sums=2, most_rows=MAX_HALFWORD_TAPS),
    _pools("average", "AveragePool", "s16", sums=2),
    _pools("max", "MaxPool", "s8"),
    _pools("max", "MaxPool", "s16"),
    _pools("min", "MinPool", "s8"),
)
