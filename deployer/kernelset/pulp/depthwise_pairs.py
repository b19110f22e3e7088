"""Depthwise convolutions by pairs of taps: the pieces of a core, its scratch and what they take."""

from __future__ import annotations

from deployer.kernelset.blocking.pulp import CLUSTER_CORES as CORES
from deployer.kernelset.blocking.pulp import PAIRED_BYTES, PAIRED_PIXELS, PAIRED_ROOM_BYTES
from deployer.kernelset.kernel import KernelCase
from deployer.kernelset.layouts.depthwise_pairs import pairs_of


def _span(case: KernelCase, axis: int, outputs: int) -> int:
    """Rows or columns of the copy that neighbouring outputs read: those between are left out."""
    stride, taps, dilation = case.stride[axis], case.kernel[axis], case.dilation[axis]
    if taps == 1:
        return outputs
    apart = stride if dilation % stride == 0 else 1
    return ((outputs - 1) * stride + (taps - 1) * dilation) // apart + 1


def pairs_scratch(case: KernelCase) -> int:
    """For each core room, its copy, places of pixels and outputs, and of taps; an odd number of
    words."""
    height, width = case.out_shape[1:3]
    one, every = (
        4 * _span(case, 0, rows) * _span(case, 1, columns)
        for rows, columns in ((1, 1), (height, width))
    )
    copy = min(every, max(one, PAIRED_BYTES))
    places = 8 * (PAIRED_PIXELS + pairs_of(case.kernel))
    return CORES * (PAIRED_ROOM_BYTES + (copy + places | 4))


def pairs_cycles(case: KernelCase) -> float:
    height, width = case.out_shape[1:3]
    return height * width * case.out_channels * (3 * pairs_of(case.kernel) + 10) / CORES
