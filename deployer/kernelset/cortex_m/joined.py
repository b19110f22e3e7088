"""Transposed convolutions of which neighbouring outputs of a row are channels of one joined pixel
(kernels/include/dpl/cortex_m/joined.h): scratch and estimated cycles."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from deployer.kernelset.blocking.cortex_m import COLUMNS
from deployer.kernelset.cortex_m.column_cycles import remainder_cycles, window_cycles
from deployer.kernelset.cortex_m.convolution import one_group
from deployer.kernelset.cortex_m.direct import MAX_BYTES, transposed_bytes, transposed_cycles
from deployer.kernelset.cortex_m.planes import remainders_of
from deployer.kernelset.cortex_m.planes_choice import plane_cycles, transposed_fits
from deployer.kernelset.cortex_m.row_strips import RowWindow
from deployer.kernelset.kernel import KernelCase

_PLACE_BYTES = 12
_GAIN = 0.95  # of the others' cycles at most: all are estimates
_SHARED_GAIN, _FEW = 0.8, 2  # the same for others where columns are shared, of so many channels
# Estimated cycles of one of the pixels at a row's ends and of an output there.
_EDGE, _EDGE_OUTPUT = 90.0, 5.0


def joins(case: KernelCase) -> bool:
    """Whether neighbouring outputs make a joined pixel: no gaps between windows."""
    steps = zip(case.kernel, case.stride, strict=True)
    gaps = case.dilation != (1, 1) or any(k < s for k, s in steps)
    return one_group(case) and case.stride[1] > 1 and not gaps


def joined_scratch(case: KernelCase) -> int:
    """Of the largest of the convolutions it consists of, each with room for the outputs of a strip
    where rows begin or end within a pixel."""
    size = case.element_bytes
    every = list(_joined(case))
    if case.kernel == case.stride:  # with columns for all remainders strips may be longer
        every.append(replace(every[0], channels=case.stride[0] * every[0].channels))
    return max(each.bytes(size) + _room(case, each) for each in every)


def is_dearer(case: KernelCase) -> bool:
    """Whether others take it in fewer cycles."""
    return shared_is_dearer(case) or joined_cycles(case) >= _GAIN * _others(case)


def shared_is_dearer(case: KernelCase) -> bool:
    """Whether columns that all remainders share take more cycles than windows where they lie."""
    few = case.kernel == case.stride and case.out_channels <= _FEW and joins(case)
    fits = few and transposed_bytes(case) <= MAX_BYTES
    return fits and transposed_cycles(case) < _SHARED_GAIN * joined_cycles(case)


def joined_cycles(case: KernelCase) -> float:
    """Estimated."""
    pixels = case.out_shape[1] * _edges(case)
    ends = pixels * (_EDGE + case.stride[1] * case.out_channels * _EDGE_OUTPUT)
    return ends + window_cycles(_joined(case), shared=case.kernel == case.stride)


def _others(case: KernelCase) -> float:
    found = [remainder_cycles(case, remainders_of(case))]
    if transposed_fits(case):
        found.append(sum(plane_cycles(each, 1) for each in remainders_of(case)))
    if case.kernel != case.stride:
        found.append(transposed_cycles(case))
    return min(found)


def _joined(case: KernelCase) -> Sequence[RowWindow]:
    """The convolutions it consists of: one for each remainder of the rows that has outputs."""
    down, across = case.stride
    _, tall, wide, channels = case.out_shape
    taps = -(-case.kernel[1] // across)
    columns = -(-(case.pads.left % across + wide) // across)
    found = []
    for y in range(down):
        rows = len(range((y - case.pads.top) % down, tall, down))
        kernel = len(range(y, case.kernel[0], down)), taps
        found.append(RowWindow(kernel, 1, (rows, columns), case.in_channels, across * channels))
    return found


def _room(case: KernelCase, window: RowWindow) -> int:
    pixels = window.outputs[0] * window.outputs[1]
    outputs = COLUMNS * window.channels * case.element_bytes
    triples = min(window.triples, -(-pixels // COLUMNS))
    return -(-triples * (_PLACE_BYTES + outputs) // 4) * 4 if _edges(case) else 0


def _edges(case: KernelCase) -> int:
    """Ends of a row that lie within a joined pixel."""
    across, before = case.stride[1], case.pads.left % case.stride[1]
    return (before > 0) + ((before + case.out_shape[2]) % across > 0)
