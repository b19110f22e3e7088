"""Transposed convolutions: an ordinary one for each remainder of the strides."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from deployer.ir import AFFINE, Pads
from deployer.kernelset.blocking.pulp import CALL_ROOM_BYTES
from deployer.kernelset.blocking.pulp import CLUSTER_CORES as CORES
from deployer.kernelset.kernel import Kernel, KernelCase
from deployer.kernelset.layouts import WeightLayout
from deployer.kernelset.pulp import convolution
from deployer.kernelset.pulp.cycles import convolution_cycles

_CONVOLUTION = convolution.KERNELS[-1]
_EACH = 120.0  # cycles of a remainder beside its convolution: arguments, and the cores' wait


def no_gaps(case: KernelCase) -> bool:
    """Between what neighbouring inputs reach, so that each remainder has a tap."""
    steps = zip(case.kernel, case.stride, strict=True)
    return case.dilation == (1, 1) and all(k >= s for k, s in steps)


def _remainders(case: KernelCase) -> Iterator[KernelCase]:
    """The convolutions at stride 1, as the kernel has them."""
    adjacent = _in_a_run(case)
    for y in range(case.stride[0]):
        for x in range(0, case.stride[1], case.stride[1] if adjacent else 1):
            found = remainder_of(case, (y, x))
            if adjacent:
                *places, channels = found.out_shape
                found = replace(found, out_shape=(*places, channels * case.stride[1]))
            yield found


def _in_a_run(case: KernelCase) -> bool:
    """Whether all outputs that a kernel row makes of an input are one pixel's."""
    whole = case.out_shape[2] == case.in_shapes[0][2] * case.stride[1]
    fours = case.out_channels % 4 == 0 and case.groups == 1 and case.rule in AFFINE
    return case.kernel[1] == case.stride[1] and case.pads.left == 0 and whole and fours


def remainder_of(case: KernelCase, remainders: tuple[int, int]) -> KernelCase:
    """The convolution at stride 1 of the outputs with these remainders."""
    counts, taps, pads = zip(
        *(_axis(case, axis, remainder) for axis, remainder in enumerate(remainders)), strict=True
    )
    height, width = case.in_shapes[0][1:3]
    beyond = [
        max(count - 1 - pad + tap - extent, 0)
        for count, pad, tap, extent in zip(counts, pads, taps, (height, width), strict=True)
    ]
    top, left = (max(pad, 0) for pad in pads)
    return replace(
        case,
        op="Conv2d",
        out_shape=(1, *counts, case.out_channels),
        kernel=taps,
        stride=(1, 1),
        pads=Pads(top, left, *beyond),
    )


def _axis(case: KernelCase, axis: int, remainder: int) -> tuple[int, int, int]:
    """How many outputs have it, their taps, and the pad before the first; none are counted as
    one."""
    stride, kernel, extent = case.stride[axis], case.kernel[axis], case.out_shape[1 + axis]
    pad = (case.pads.top, case.pads.left)[axis]
    first = (remainder - pad) % stride
    taps = len(range(remainder, kernel, stride))
    return max(len(range(first, extent, stride)), 1), taps, taps - 1 - (first + pad) // stride


def _windows(case: KernelCase) -> int:
    """Of the remainder that takes most, and each core's call of it."""
    return CORES * CALL_ROOM_BYTES + max(_CONVOLUTION.scratch(each) for each in _remainders(case))


def transposed_cycles(case: KernelCase) -> float:
    """Estimated, of one call on eight cores."""
    return sum(_EACH + convolution_cycles(each) for each in _remainders(case))


def cut_by_sides_of_remainders(case: KernelCase) -> bool:
    """Whether a side cuts a window of any remainder."""
    return any(each.pads.left or each.pads.right for each in _remainders(case))


KERNELS: tuple[Kernel, ...] = (
    Kernel(
        "dpl_conv_transpose2d_s8__xpulpv2",
        op="ConvTranspose2d",
        when=no_gaps,
        scratch=_windows,
        weight_layout=WeightLayout.X4C4_REMAINDERS,
        assembly=convolution.FOUR_BY_FOUR,
        shared=("conv2d_s8_interior__xpulpv2.c", "conv2d_s8__xpulpv2.c"),
        cycles=transposed_cycles,
        border_padding=cut_by_sides_of_remainders,
    ),
)
