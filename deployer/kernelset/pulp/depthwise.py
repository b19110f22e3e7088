"""Depthwise convolutions: products over planes of four channels, which each core transposes
itself."""

from __future__ import annotations

from collections.abc import Callable

from deployer.ir import AFFINE
from deployer.kernelset.blocking.pulp import CLUSTER_CORES as CORES
from deployer.kernelset.blocking.pulp import GROUP_CHANNELS as GROUP
from deployer.kernelset.blocking.pulp import (
    PHASE_ROOM_BYTES,
    PLANE_BYTES,
    PLANE_SPAN_COLUMNS,
    SPREAD_ROOM_BYTES,
)
from deployer.kernelset.kernel import Kernel, KernelCase
from deployer.kernelset.layouts import WeightLayout
from deployer.kernelset.pulp.depthwise_cycles import depthwise_cycles
from deployer.kernelset.pulp.depthwise_pairs import pairs_cycles, pairs_scratch
from deployer.kernelset.pulp.depthwise_phases import by_a_loop_of_its_own, phases
from deployer.kernelset.pulp.depthwise_planes import planes_3x3
from deployer.kernelset.pulp.depthwise_point import point_cycles, point_scratch, scales
from deployer.kernelset.pulp.depthwise_strips import strips_cycles
from deployer.kernelset.pulp.windows import words


def _planes(case: KernelCase) -> int:
    """Bytes of a core's copy of four channels: what all rows of outputs read, or 1440 bytes, or
    what four rows of outputs read."""
    (tall, wide), (down, across) = _spanned(case), case.stride
    height, width = case.out_shape[1:3]
    columns = min(words(width), max(GROUP, PLANE_SPAN_COLUMNS // across // 4 * 4))
    pitch = (columns - GROUP) * across + 4 * _row_words(across, wide)
    every, few = (GROUP * pitch * ((rows - 1) * down + tall) for rows in (height, 4))
    return min(every, max(few, PLANE_BYTES))


def _spanned(case: KernelCase) -> tuple[int, int]:
    """Rows and columns from the first to the last tap of a window."""
    (height, width), (down, across) = case.kernel, case.dilation
    return (height - 1) * down + 1, (width - 1) * across + 1


def _meets_the_input(case: KernelCase) -> bool:
    """Every window has a row and a column of the input: pads are shorter than what it spans."""
    (tall, wide), pads = _spanned(case), case.pads
    return max(pads.top, pads.bottom) < tall and max(pads.left, pads.right) < wide


def _row_words(stride: int, wide: int) -> int:
    """What four neighbouring windows span."""
    return -(-(3 * stride + wide) // 4)


def _taps(case: KernelCase) -> int:
    """Taps of a channel as four windows meet each word, a row of them between zeros, and room."""
    count = _row_words(case.stride[1], _spanned(case)[1])
    line = -(-(4 * count + 3 * case.stride[1]) // 8) * 8
    return 16 * count * case.kernel[0] + line + SPREAD_ROOM_BYTES


def _scratch(case: KernelCase) -> int:
    """Of a phase behind its arguments, or of rows of rings, which have none."""
    if case.dilation == (1, 1):
        return _undilated_scratch(case)
    phase = CORES * PHASE_ROOM_BYTES + _undilated_scratch(phases(case)[0])
    return max(_undilated_scratch(case), phase)


def _undilated_scratch(case: KernelCase) -> int:
    """For each core a word of zero points, planes, and taps for the general loop."""
    if by_a_loop_of_its_own(case):
        return CORES * (4 + planes_3x3(case).bytes)
    return CORES * (4 + _planes(case) + _taps(case))


def _by_pairs(case: KernelCase) -> bool:
    """Where planes are slower: strides, dilations, few taps a row, few outputs."""
    if case.rule not in AFFINE or by_a_loop_of_its_own(case) or not _meets_the_input(case):
        return False
    return pairs_cycles(case) < depthwise_cycles(case)


def _strips(stride: int, left: int) -> Callable[[KernelCase], bool]:
    """The condition of a kernel of transposed blocks."""

    def takes(case: KernelCase) -> bool:
        plain = by_a_loop_of_its_own(case) and case.multiplier == 1
        whole = case.in_shapes[0][2] % GROUP == case.in_channels % GROUP == 0
        shaped = case.stride[0] == stride and case.pads.left == left
        return plain and whole and shaped and _is_bordered(case)

    return takes


def _is_bordered(case: KernelCase) -> bool:
    """Columns that match the input's, and at most a row outside of it above and one below."""
    width, (height, columns) = case.in_shapes[0][2], case.out_shape[1:3]
    stride, top = case.stride[0], case.pads.top
    below = (height - 1) * stride + 2 - top - (case.in_shapes[0][1] - 1)
    return columns * stride == width and top <= 1 and below <= 1


def _blocked(suffix: str, stride: int, left: int) -> Kernel:
    name = f"by_{stride}{'_unpadded' * (stride == 2 and left == 0)}"
    file = f"depthwise_strips{f'_{name}' * (stride == 2)}.S"
    return Kernel(
        f"dpl_depthwise_conv2d_s8__xpulpv2_blocked{suffix}",
        op="DepthwiseConv2d",
        when=_strips(stride, left),
        weight_layout=WeightLayout.DEPTHWISE,
        cycles=strips_cycles,
        assembly=(file,),
        contiguous=True,
        blocked_input=True,
    )


def _by_3x3(case: KernelCase) -> bool:
    return by_a_loop_of_its_own(case) and _meets_the_input(case)


_BY_3X3 = ("depthwise_s8_3x3__xpulpv2.c",)
_LOOPS = ("depthwise_3x3.S", "depthwise_3x3_by_2.S")

KERNELS: tuple[Kernel, ...] = (
    _blocked("", 1, 1),
    _blocked("_by_2", 2, 1),
    _blocked("_by_2_unpadded", 2, 0),
    Kernel(
        "dpl_depthwise_conv2d_s8__xpulpv2_point",
        op="DepthwiseConv2d",
        when=scales,
        scratch=point_scratch,
        weight_layout=WeightLayout.DEPTHWISE,
        cycles=point_cycles,
        assembly=("depthwise_points.S",),
    ),
    Kernel(
        "dpl_depthwise_conv2d_s8__xpulpv2_pairs",
        op="DepthwiseConv2d",
        when=_by_pairs,
        scratch=pairs_scratch,
        weight_layout=WeightLayout.DEPTHWISE_PAIRS,
        cycles=pairs_cycles,
        assembly=("depthwise_pairs.S", "gather_bytes.S"),
    ),
    Kernel(
        "dpl_depthwise_conv2d_s8__xpulpv2_3x3",
        op="DepthwiseConv2d",
        when=_by_3x3,
        scratch=_scratch,
        weight_layout=WeightLayout.DEPTHWISE,
        cycles=depthwise_cycles,
        assembly=(*_LOOPS, "gather_bytes.S", "transpose_words.S"),
        shared=_BY_3X3,
    ),
    Kernel(
        "dpl_depthwise_conv2d_s8__xpulpv2",
        op="DepthwiseConv2d",
        when=_meets_the_input,
        scratch=_scratch,
        weight_layout=WeightLayout.DEPTHWISE,
        cycles=depthwise_cycles,
        assembly=(
            *_LOOPS,
            "depthwise_blocks.S",
            "depthwise_sums.S",
            "depthwise_two_words.S",
            "gather_bytes.S",
            "spread_rows.S",
            "transpose_words.S",
        ),
        shared=_BY_3X3,
    ),
)
