"""Convolutions with few channels a group: eight pixels by the output channels of a group."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace

from deployer.ir import Pads
from deployer.kernelset.access import hwc
from deployer.kernelset.blocking.neon import (
    JOINED_REMAINDERS,
    PLANE_CHANNELS,
    PLANE_FEW_OUTPUTS,
    PLANE_PIXELS,
    PLANE_POSITIONS,
    PLANES_BYTES,
    PLANES_TOGETHER,
    SCRATCH_CORES,
)
from deployer.kernelset.kernel import Kernel, KernelCase
from deployer.kernelset.layouts import WeightLayout
from deployer.kernelset.neon.depthwise_turn import turned
from deployer.kernelset.neon.planes_choice import (
    Shape,
    narrowed,
    shape_of,
    shapes_of,
    yields,
)

_VECTOR_BYTES = 16
_HALF_CELLS = 4  # of a vector
# of a row of two taps or more, places of two bytes and weights in whole halves of vectors: three
# taps of two outputs take most
_ROW_BYTES_A_VALUE = 6


def _words(size: int) -> int:
    return -(-size // _VECTOR_BYTES) * _VECTOR_BYTES


def _bytes_of(shape: Shape, groups: int, rows: int, columns: int, values: list[int]) -> int:
    """Of a core: where values of each convolution and outputs lie, and planes."""
    together = max(1, min(groups, PLANES_TOGETHER // shape.depth))
    shape, few = _in_halves(shape, columns), shape.outputs <= PLANE_FEW_OUTPUTS
    behind = shape.wide + PLANE_PIXELS * (2 if few else 1)
    planes = min(together * shape.bytes(rows, columns), PLANES_BYTES) + 2 * behind
    slid = sum(map(_slid_bytes, values)) if few else 0
    return list_bytes(shape, rows, columns, values) + slid + _words(planes)


def _slid_bytes(values: int) -> int:
    """At most, of places and weights of rows of taps that slide: two taps or more."""
    return _words(_ROW_BYTES_A_VALUE * values + 4)


def _in_halves(shape: Shape, columns: int) -> Shape:
    """With as many cells between rows as pitches in whole halves of vectors take at most, where
    outputs are few."""
    pitch = columns + shape.wide
    more = min(_HALF_CELLS - 1, pitch // 8) if shape.outputs <= PLANE_FEW_OUTPUTS else 0
    return replace(shape, wide=shape.wide + more)


def list_bytes(shape: Shape, rows: int, columns: int, values: list[int]) -> int:
    """Of where values of each convolution lie, and outputs of a strip."""
    pitch = columns + shape.wide
    positions = max(pitch, min(rows * pitch, PLANE_POSITIONS))
    lists = sum(_words(2 * (count + 2)) for count in values)
    return lists + _words(4 * (positions + PLANE_PIXELS - 1))


def _bytes(case: KernelCase) -> int:
    rows, columns, _ = hwc(case.out_shape)
    return max(
        _bytes_of(shape, case.groups, rows, columns, [shape.values]) for shape in shapes_of(case)
    )


def _strip_bytes(case: KernelCase) -> int:
    """Parts of a layer may have few columns, so either way."""
    line = turned(case if 1 in case.kernel else narrowed(case))
    kept = 0 if 1 in case.kernel else 2 * PLANE_CHANNELS * shape_of(line).values
    return max(_bytes(case), _bytes(line) + kept)


def scratch(case: KernelCase) -> int:
    return SCRATCH_CORES * _strip_bytes(case)


def fits(case: KernelCase) -> bool:
    if case.in_channels % case.groups or case.out_channels % case.groups:
        return False
    columns = hwc(case.out_shape)[1]
    return _in_halves(shape_of(case), columns).bytes(1, columns) <= PLANES_BYTES


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
            yield replace(case, kernel=kernel, stride=(1, 1), pads=Pads(), out_shape=plane)


def may_join(case: KernelCase) -> bool:
    """Whether the convolutions that a transposed one consists of may use the same planes: all have
    as many outputs."""
    few = 1 < math.prod(case.stride) <= JOINED_REMAINDERS
    axes = zip(hwc(case.out_shape)[:2], case.stride, strict=True)
    return few and all(extent % stride == 0 for extent, stride in axes)


def _span(kernel: int, stride: int, pad: int) -> int:
    """Along an axis: what the windows of all of them cover."""
    ends, begins = [], []
    for r in range(stride):
        ends.append(((r - pad) % stride + pad - r) // stride)
        begins.append(ends[-1] + 1 - -(-(kernel - r) // stride))
    return max(ends) - min(begins)


def joined_shape(case: KernelCase) -> Shape:
    """Of planes that the convolutions that a transposed one consists of use together."""
    tall, wide = (
        _span(kernel, stride, pad)
        for kernel, stride, pad in zip(
            case.kernel, case.stride, (case.pads.top, case.pads.left), strict=True
        )
    )
    return replace(shape_of(next(remainders(case))), tall=tall, wide=wide)


def _joined_bytes(case: KernelCase) -> int:
    """Of a core, where they do."""
    return bytes_together(case, list(remainders(case))) if may_join(case) else 0


def bytes_together(case: KernelCase, parts: list[KernelCase]) -> int:
    """Of a core, of convolutions of a transposed one on the same planes."""
    rows, columns, _ = hwc(parts[0].out_shape)
    values = [shape_of(part).values for part in parts]
    shape = replace(joined_shape(case), outputs=shape_of(parts[0]).outputs)
    return _bytes_of(shape, case.groups, rows, columns, values)


def _remainders_scratch(case: KernelCase) -> int:
    return SCRATCH_CORES * max(_joined_bytes(case), *map(_strip_bytes, remainders(case)))


def _remainders_fit(case: KernelCase) -> bool:
    return no_gaps(case) and all(map(fits, remainders(case)))


KERNELS: tuple[Kernel, ...] = tuple(
    kernel
    for act in ("s8", "s16")
    for kernel in (
        Kernel(
            f"dpl_conv2d_{act}__armv8a_planes",
            weighed=False,
            op="Conv2d",
            act=act,
            when=fits,
            yields=lambda case: yields([case]),
            scratch=scratch,
            weight_layout=WeightLayout.PLANES,
        ),
        Kernel(
            f"dpl_conv_transpose2d_{act}__armv8a_planes",
            weighed=False,
            op="ConvTranspose2d",
            act=act,
            when=_remainders_fit,
            yields=lambda case: yields(remainders(case), transposed=True, joined=may_join(case)),
            scratch=_remainders_scratch,
            weight_layout=WeightLayout.PLANES_REMAINDERS,
        ),
    )
)
