"""Fully connected layers: four packed channels at a time."""

from __future__ import annotations

from deployer.kernelset.blocking.pulp import CLUSTER_CORES as CORES
from deployer.kernelset.kernel import Kernel, KernelCase
from deployer.kernelset.layouts import WeightLayout
from deployer.kernelset.order import AT_ONCE
from deployer.kernelset.pulp.cycles import fully_connected_cycles, in_slices
from deployer.kernelset.pulp.windows import words

_DENSE = ("dense_outputs.S", "dense_sums.S", "four_by_four_sums.S")


def _one_pixel(case: KernelCase) -> bool:
    """A convolution of one group that has one window of one tap."""
    points = case.in_shapes[0][1:3] == case.out_shape[1:3] == case.kernel == (1, 1)
    return points and case.groups == 1 and not case.pads.any


def _scratch(case: KernelCase) -> int:
    """A copy of the input for each core, where it is not made of words; where cores have slices of
    it, one copy and their partial sums."""
    copy = words(case.in_channels) if case.in_channels % 4 else 0
    return CORES * 4 * words(case.out_channels) + copy if in_slices(case) else CORES * copy


KERNELS: tuple[Kernel, ...] = (
    Kernel(
        "dpl_fully_connected_s8__xpulpv2",
        op="FullyConnected",
        scratch=_scratch,
        weight_layout=WeightLayout.X4C4,
        order=AT_ONCE,
        assembly=_DENSE,
        cycles=fully_connected_cycles,
    ),
    Kernel(
        "dpl_conv2d_s8__xpulpv2_pixel",
        op="Conv2d",
        when=_one_pixel,
        scratch=_scratch,
        weight_layout=WeightLayout.X4C4,
        order=AT_ONCE,
        assembly=_DENSE,
        shared=("fully_connected_s8__xpulpv2.c",),
        cycles=fully_connected_cycles,
    ),
)
