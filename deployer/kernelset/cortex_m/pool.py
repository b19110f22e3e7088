"""Pools: rows of the input folded into a strip, then the strip's columns."""

from __future__ import annotations

from dataclasses import dataclass

from deployer.ir import AFFINE, RequantRule
from deployer.kernelset.blocking.cortex_m import (
    MAX_HALFWORD_TAPS,
    POOL_ALIGNMENT,
    POOL_CHANNELS,
    POOL_LINE_BYTES,
    POOL_STRIP_BYTES,
)
from deployer.kernelset.kernel import Kernel, KernelCase
from deployer.kernelset.order import BY_PIXELS, AccessOrder


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
    count = min(channels, -(-(-(-channels // parts)) // 4) * 4)
    left = room // count - single
    columns = min(columns, left // case.stride[1] + 1 if left >= 0 else 1)
    return _Blocks(1, columns, count, _pitch(_under(case, columns) * count))


def _under(case: KernelCase, outputs: int) -> int:
    """Columns of the input below so many outputs."""
    return (outputs - 1) * case.stride[1] + (case.kernel[1] - 1) * case.dilation[1] + 1


def _pitch(elements: int) -> int:
    return (elements + 2 * POOL_ALIGNMENT - 1) // POOL_ALIGNMENT * POOL_ALIGNMENT


def _strip(case: KernelCase) -> int:
    width = int(case.act[1:]) // 8
    blocks = _blocks(case, width)
    return blocks.rows * blocks.pitch * width + POOL_LINE_BYTES


def _by_blocks(case: KernelCase) -> AccessOrder:
    """A block with all its channels is in the strip before its first output is written."""
    blocks = _blocks(case, int(case.act[1:]) // 8)
    whole = blocks.channels == case.out_channels
    return AccessOrder(rows=blocks.rows, columns=blocks.columns, buffered=whole)


def _rows_fit_halves(case: KernelCase) -> bool:
    return case.rule in (*AFFINE, RequantRule.MEAN_EVEN) and case.kernel[1] <= MAX_HALFWORD_TAPS


KERNELS: tuple[Kernel, ...] = (
    Kernel(
        "dpl_average_pool_s8__armv7em", op="AveragePool", when=_rows_fit_halves, order=BY_PIXELS
    ),
    *(
        Kernel(f"dpl_{op}_pool_{act}__armv7em", op=name, act=act, scratch=_strip, order=_by_blocks)
        for op, name, act in (
            ("max", "MaxPool", "s8"),
            ("max", "MaxPool", "s16"),
            ("min", "MinPool", "s8"),
        )
    ),
)
