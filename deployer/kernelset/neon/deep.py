"""Convolutions with many channels and few outputs a group: products in lanes."""

from __future__ import annotations

from deployer.kernelset.blocking.neon import SCRATCH_CORES, STEP_BYTES, WIDE_STEP_VALUES
from deployer.kernelset.kernel import Kernel, KernelCase
from deployer.kernelset.layouts import WeightLayout
from deployer.kernelset.neon.planes import fits, may_join, no_gaps, remainders
from deployer.kernelset.neon.planes_choice import in_blocks, in_lanes, in_planes_of

_ELEMENT_BYTES = {"s8": 1, "s16": 2}


def _deep(case: KernelCase) -> bool:
    whole = case.in_channels % case.groups == 0 and case.out_channels % case.groups == 0
    return whole and case.in_channels // case.groups >= WIDE_STEP_VALUES


def _zeros(case: KernelCase) -> int:
    """Of each core, what taps outside the input read."""
    used = case.in_channels // case.groups * _ELEMENT_BYTES[case.act]
    return SCRATCH_CORES * -(-used // STEP_BYTES) * STEP_BYTES


def _yields(parts: list[KernelCase], *, joined: bool = False) -> bool:
    others = [sum(map(in_blocks, parts))]
    if all(map(fits, parts)):
        others.append(in_planes_of(parts, joined=joined))
    return sum(map(in_lanes, parts)) > min(others)


KERNELS: tuple[Kernel, ...] = tuple(
    kernel
    for act in _ELEMENT_BYTES
    for kernel in (
        Kernel(
            f"dpl_conv2d_{act}__armv8a_deep",
            weighed=False,
            op="Conv2d",
            act=act,
            when=_deep,
            yields=lambda case: _yields([case]),
            scratch=_zeros,
            weight_layout=WeightLayout.DEEP,
        ),
        Kernel(
            f"dpl_conv_transpose2d_{act}__armv8a_deep",
            weighed=False,
            op="ConvTranspose2d",
            act=act,
            when=lambda case: no_gaps(case) and _deep(case),
            yields=lambda case: _yields(list(remainders(case)), joined=may_join(case)),
            scratch=_zeros,
            weight_layout=WeightLayout.DEEP_REMAINDERS,
        ),
    )
)
