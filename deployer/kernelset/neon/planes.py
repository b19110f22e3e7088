"""Convolutions with few channels a group: eight pixels by the output channels of a group."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from deployer.ir import Pads
from deployer.kernelset.access import hwc
from deployer.kernelset.blocking.neon import (
    PLANE_PIXELS,
    PLANE_POSITIONS,
    PLANES_BYTES,
    SCRATCH_CORES,
)
from deployer.kernelset.kernel import Kernel, KernelCase
from deployer.kernelset.layouts import WeightLayout
from deployer.kernelset.neon.planes_choice import shape_of, turned, yields

_VECTOR_BYTES = 16


def _bytes(case: KernelCase) -> int:
    """Of a core: where values and outputs lie, and planes."""
    shape, (rows, columns, _) = shape_of(case), hwc(case.out_shape)
    pitch = columns + shape.wide
    positions = max(pitch, min(rows * pitch, PLANE_POSITIONS))
    parts = [2 * (shape.values + 2), 4 * (positions + PLANE_PIXELS - 1)]
    planes = min(shape.bytes(rows, columns), PLANES_BYTES) + 2 * (shape.wide + PLANE_PIXELS)
    return sum(-(-part // _VECTOR_BYTES) * _VECTOR_BYTES for part in (*parts, planes))


def _strip_bytes(case: KernelCase) -> int:
    """Parts of a layer may have few columns, so either way."""
    return max(_bytes(case), _bytes(turned(case)) if 1 in case.kernel else 0)


def _scratch(case: KernelCase) -> int:
    return SCRATCH_CORES * _strip_bytes(case)


def fits(case: KernelCase) -> bool:
    if case.in_channels % case.groups or case.out_channels % case.groups:
        return False
    return shape_of(case).bytes(1, hwc(case.out_shape)[1]) <= PLANES_BYTES


def no_gaps(case: KernelCase) -> bool:
    """Between what neighbouring inputs of a transposed convolution reach."""
    steps = zip(case.kernel, case.stride, strict=True)
    return case.dilation == (1, 1) and all(k >= s for k, s in steps)


def remainders(case: KernelCase) -> Iterator[KernelCase]:
    """The convolutions that a transposed one consists of."""
    down, across = case.stride
    rows, columns, channels = hwc(case.out_shape)
    plane = (1, -(-rows // down), -(-columns // across), channels)
    for y in range(down):
        for x in range(across):
            kernel = len(range(y, case.kernel[0], down)), len(range(x, case.kernel[1], across))
            yield replace(
                case, op="Conv2d", kernel=kernel, stride=(1, 1), pads=Pads(), out_shape=plane
            )


def _remainders_scratch(case: KernelCase) -> int:
    return SCRATCH_CORES * max(map(_strip_bytes, remainders(case)))


def _remainders_fit(case: KernelCase) -> bool:
    return no_gaps(case) and all(map(fits, remainders(case)))


KERNELS: tuple[Kernel, ...] = tuple(
    kernel
    for act in ("s8", "s16")
    for kernel in (
        Kernel(
            f"dpl_conv2d_{act}__armv8a_planes",
            op="Conv2d",
            act=act,
            when=fits,
            yields=lambda case: yields([case]),
            scratch=_scratch,
            weight_layout=WeightLayout.PLANES,
        ),
        Kernel(
            f"dpl_conv_transpose2d_{act}__armv8a_planes",
            op="ConvTranspose2d",
            act=act,
            when=_remainders_fit,
            yields=lambda case: yields(remainders(case)),
            scratch=_remainders_scratch,
            weight_layout=WeightLayout.PLANES_REMAINDERS,
        ),
    )
)
