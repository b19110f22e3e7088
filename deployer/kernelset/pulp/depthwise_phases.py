"""Dilated depthwise windows as windows without dilation: of every so many rows or columns of the
input, a phase of the output's after the other."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from deployer.ir import AFFINE, Pads
from deployer.kernelset.kernel import KernelCase


@dataclass(frozen=True)
class _Axis:
    """Rows or columns of a phase."""

    inputs: int
    outputs: int
    stride: int
    dilation: int
    pad: int


def _of_axis(case: KernelCase, axis: int) -> Iterator[_Axis]:
    inputs, outputs = case.in_shapes[0][1 + axis], case.out_shape[1 + axis]
    stride, apart, pad = (
        case.stride[axis],
        case.dilation[axis],
        (case.pads.top, case.pads.left)[axis],
    )
    if apart == 1 or apart % stride:
        yield _Axis(inputs, outputs, stride, apart, pad)
        return
    count = apart // stride
    for phase in range(min(count, outputs)):
        first = stride * phase - pad
        before = max(-(first // apart), 0)
        begin = first + before * apart
        left = max(-(-(inputs - begin) // apart), 0)
        yield _Axis(left, -(-(outputs - phase) // count), 1, 1, before)


def by_a_loop_of_its_own(case: KernelCase) -> bool:
    plain = case.kernel == (3, 3) and case.dilation == (1, 1)
    return plain and case.stride in ((1, 1), (2, 2)) and case.rule in AFFINE


def phases(case: KernelCase) -> tuple[KernelCase, ...]:
    """Of windows that have a loop of its own then, or but one phase; the first one has the most
    outputs. Others stay as they are."""
    found = tuple(_phases(case))
    return found if len(found) == 1 or by_a_loop_of_its_own(found[0]) else (case,)


def _phases(case: KernelCase) -> Iterator[KernelCase]:
    for rows in _of_axis(case, 0):
        for columns in _of_axis(case, 1):
            shape = case.in_shapes[0]
            yield case.varied(
                in_shapes=((shape[0], rows.inputs, columns.inputs, shape[3]),),
                out_shape=(case.out_shape[0], rows.outputs, columns.outputs, case.out_shape[3]),
                stride=(rows.stride, columns.stride),
                dilation=(rows.dilation, columns.dilation),
                pads=Pads(rows.pad, columns.pad, case.pads.bottom, case.pads.right),
            )
