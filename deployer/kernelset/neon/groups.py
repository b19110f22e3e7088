"""Convolutions with four groups or more: groups in lanes."""

from __future__ import annotations

from deployer.kernelset.access import hwc
from deployer.kernelset.blocking.neon import (
    GROUP_LANES,
    GROUPS_IN_PAIRS,
    PLANE_PIXELS,
    PLANES_BYTES,
    SCRATCH_CORES,
)
from deployer.kernelset.kernel import Kernel, KernelCase
from deployer.kernelset.layouts import WeightLayout
from deployer.kernelset.neon.depthwise_turn import turned
from deployer.kernelset.neon.planes import (
    fits,
    joined_shape,
    list_bytes,
    may_join,
    no_gaps,
    remainders,
)
from deployer.kernelset.neon.planes_choice import (
    LEAST_GAIN,
    Shape,
    in_blocks,
    in_groups_of,
    in_lanes,
    in_planes_of,
    lanes_of,
    shape_of,
)

_CELL_BYTES = 2 * GROUP_LANES


def _bytes_of(case: KernelCase, shape: Shape, values: list[int]) -> int:
    """Of a core: where values of each convolution and outputs lie, and planes."""
    rows, columns, _ = hwc(case.out_shape)
    planes = min(lanes_of(case) * shape.bytes(rows, columns), PLANES_BYTES)
    behind = _CELL_BYTES * (shape.wide + PLANE_PIXELS)
    return list_bytes(shape, rows, columns, values) + planes + behind


def _bytes(case: KernelCase) -> int:
    """Either way round: which one takes less depends on pads."""
    return max(map(_own_bytes, (case, turned(case))))


def _own_bytes(case: KernelCase) -> int:
    shape = shape_of(case)
    return _bytes_of(case, shape, [shape.values])


def _remainders_bytes(case: KernelCase) -> int:
    parts = list(remainders(case))
    joined = 0
    if may_join(case):
        values = [shape_of(part).values for part in parts]
        joined = _bytes_of(parts[0], joined_shape(case), values)
    return max(joined, *map(_bytes, parts))


def fits_groups(case: KernelCase) -> bool:
    if not fits(case) or case.groups < GROUPS_IN_PAIRS:
        return False
    return lanes_of(case) * shape_of(case).bytes(1, hwc(case.out_shape)[1]) <= PLANES_BYTES


def _yields(parts: list[KernelCase], *, joined: bool = False) -> bool:
    others = [sum(map(in_blocks, parts)), in_planes_of(parts, joined=joined)]
    if _deep(parts[0]):
        others.append(sum(map(in_lanes, parts)))
    return LEAST_GAIN * in_groups_of(parts, joined=joined) > min(others)


def _deep(case: KernelCase) -> bool:
    return case.in_channels // case.groups >= GROUP_LANES


KERNELS: tuple[Kernel, ...] = tuple(
    kernel
    for act in ("s8", "s16")
    for kernel in (
        Kernel(
            f"dpl_conv2d_{act}__armv8a_groups",
            weighed=False,
            op="Conv2d",
            act=act,
            when=fits_groups,
            yields=lambda case: _yields([case]),
            scratch=lambda case: SCRATCH_CORES * _bytes(case),
            weight_layout=WeightLayout.GROUPS,
        ),
        Kernel(
            f"dpl_conv_transpose2d_{act}__armv8a_groups",
            weighed=False,
            op="ConvTranspose2d",
            act=act,
            when=lambda case: no_gaps(case) and all(map(fits_groups, remainders(case))),
            yields=lambda case: _yields(list(remainders(case)), joined=may_join(case)),
            scratch=lambda case: SCRATCH_CORES * _remainders_bytes(case),
            weight_layout=WeightLayout.GROUPS_REMAINDERS,
        ),
    )
)
