"""Depthwise convolutions by pairs of taps: the pieces of a core, its scratch and what they take."""

from __future__ import annotations

from deployer.kernelset.blocking.pulp import CLUSTER_CORES as CORES
from deployer.kernelset.blocking.pulp import PAIRED_BYTES, PAIRED_PIXELS
from deployer.kernelset.kernel import KernelCase
from deployer.kernelset.layouts.depthwise_pairs import pairs_of


def _span(case: KernelCase, axis: int, outputs: int) -> int:
    """Inputs that neighbouring outputs read."""
    return (outputs - 1) * case.stride[axis] + (case.kernel[axis] - 1) * case.dilation[axis] + 1


def pairs_scratch(case: KernelCase) -> int:
    """For each core its copy, places of pixels and outputs, and of taps; an odd number of words."""
    height, width = case.out_shape[1:3]
    one, every = (
        4 * _span(case, 0, rows) * _span(case, 1, columns)
        for rows, columns in ((1, 1), (height, width))
    )
    copy = min(every, max(one, PAIRED_BYTES))
    return CORES * (copy + 8 * (PAIRED_PIXELS + pairs_of(case.kernel)) | 4)


def pairs_cycles(case: KernelCase) -> float:
    height, width = case.out_shape[1:3]
    return height * width * case.out_channels * (3 * pairs_of(case.kernel) + 10) / CORES
