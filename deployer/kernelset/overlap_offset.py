"""How far a kernel's output may lie over an input: the distance that its access order needs.

Both tensors are contiguous, the output ``offset`` bytes before the input. Byte w of the output then
lies on byte w - offset of the input, so w - offset must be below every byte that is read after w
has been written: the offset is the largest (end of what is written - first byte still read) over
the blocks in which the kernel writes.
"""

from __future__ import annotations

from math import prod

import numpy as np

from deployer.ir import OPS, ConcatAttrs
from deployer.kernelset.access import NOTHING, Axes, first_read, hwc
from deployer.kernelset.families import alignment_of
from deployer.kernelset.kernel import Kernel, KernelCase
from deployer.kernelset.order import AccessOrder


def overlap_offset_of(kernel: Kernel, case: KernelCase, index: int, *, cores: int) -> int | None:
    """Bytes by which the output of ``case`` must precede activation ``index`` in memory.

    At that distance, and any larger one, ``kernel`` overwrites nothing that it still reads. The
    least such multiple of its alignment that ``kernel.order`` promises: 0 where the output may take
    the input's place. None where no byte can be shared. A value that is several of the activations
    needs the largest of their offsets. An operator that states neither that it is elementwise nor
    an access map shares nothing, whatever its kernel promises.
    """
    order = order_of(kernel, case)
    if order is None:
        return None
    if cores > 1:
        return 0 if _in_place(order, case, index) else None
    least = _offset(order, case, index)
    if least is None:
        return None
    step = alignment_of([kernel.family])
    offset = -(-max(0, least) // step) * step
    return offset if offset < prod(case.out_shape) * _width(case.out_act or case.act) else None


def order_of(kernel: Kernel, case: KernelCase) -> AccessOrder | None:
    """The order in which ``kernel`` computes ``case``."""
    return kernel.order(case) if callable(kernel.order) else kernel.order


def _in_place(order: AccessOrder, case: KernelCase, index: int) -> bool:
    spec = OPS.get(case.op)
    return spec is not None and spec.elementwise and order.elementwise and _alike(case, index)


def _alike(case: KernelCase, index: int) -> bool:
    """Whether every element of the output has the bytes of one of the activation."""
    return not case.out_act and case.in_shapes[index] == case.out_shape


def _width(act: str) -> int:
    """Bytes of an element of type ``act``."""
    return int(act[1:]) // 8


def _offset(order: AccessOrder, case: KernelCase, index: int) -> int | None:
    """None where the operator's facts do not allow what the order says."""
    spec = OPS.get(case.op)
    if spec is None:
        return None
    if order.parts:
        return _parts(case, index) if spec.attrs is ConcatAttrs else None
    if order.elementwise:
        return _elementwise(case, index) if spec.elementwise else None
    read = first_read(case)
    return _blocks(order, case, read) if read and spec.activations == 1 else None


def _elementwise(case: KernelCase, index: int) -> int:
    read, written = _width(case.act), _width(case.out_act or case.act)
    total = prod(case.out_shape)
    if case.in_shapes[index] == case.out_shape:
        return (total - 1) * (written - read)
    return (total - case.out_channels) * written  # the pixel is read again for each other one


def _parts(case: KernelCase, index: int) -> int:
    """Parts of a Concat in runs of a row or, along channels, of a pixel."""
    inputs, output = [hwc(shape) for shape in case.in_shapes], hwc(case.out_shape)
    part = inputs[index]
    axis = next((i for i in (0, 1, 2) if part[i] != output[i]), 0)
    stretch = prod(output[axis + 1 :])
    before = sum(shape[axis] for shape in inputs[:index]) * stretch
    turns, whole, own = prod(output[:axis]), output[axis] * stretch, part[axis] * stretch
    run = prod(part[max(axis, 1) :])
    offset = before + (turns - 1) * (whole - own) + run
    if index > 0:
        offset = max(offset, before + (turns - 1) * whole)
    return offset * _width(case.act)


def _blocks(order: AccessOrder, case: KernelCase, read: Axes) -> int:
    """Within a row of blocks the last row of pixels counts; behind it, all of the later rows."""
    in_pixel = case.in_channels * _width(case.act)
    out_pixel = case.out_channels * _width(case.out_act or case.act)
    in_row = hwc(case.in_shapes[0])[1] * in_pixel
    out_row = hwc(case.out_shape)[1] * out_pixel
    rows, columns = read
    if order.once:
        rows, columns = _unread(case), np.append([0], np.full(len(columns) - 1, NOTHING))
    top, bottom = _grouped(rows * in_row, order.rows)
    left, right = _grouped(columns * in_pixel, order.columns or (1 if order.run else 0))
    ended = right * out_pixel
    if order.run:
        tiles, ends = (top[:, None] + left).reshape(-1), (bottom - 1)[:, None] * out_row + ended
        start, end = _grouped(tiles, order.run)
        most = np.maximum.accumulate(ends.reshape(-1))[end - 1]
        return int((most - _later(start, after=order.buffered)).max())
    within = (ended - _later(left, after=order.buffered)).max()
    own = (bottom - 1) * out_row + within - top
    later = bottom * out_row - _later(top + left.min(), after=True)
    return int(max(own.max(), later.max()))


def _unread(case: KernelCase) -> np.ndarray:
    """For each row of the output the first row of its window that those above have not read, rows
    between the taps of a dilated one included."""
    height, tall = hwc(case.in_shapes[0])[0], (case.kernel[0] - 1) * case.dilation[0] + 1
    starts = np.arange(hwc(case.out_shape)[0]) * case.stride[0] - case.pads.top
    before = np.concatenate([[0], starts[:-1] + tall])
    unread = np.maximum(np.maximum(starts, before), 0)
    return np.where((unread < height) & (starts + tall > 0), unread, NOTHING)


def _grouped(first: np.ndarray, size: int) -> tuple[np.ndarray, np.ndarray]:
    """Groups of ``size`` neighbours, 0 for all: the first read of each and where each ends."""
    size = size or len(first)
    starts = np.arange(0, len(first), size)
    return np.minimum.reduceat(first, starts), np.minimum(starts + size, len(first))


def _later(first: np.ndarray, *, after: bool) -> np.ndarray:
    """The least from each entry on, or behind it; NOTHING behind the last."""
    least = np.minimum.accumulate(first[::-1])[::-1]
    return np.append(least[1:], NOTHING) if after else least
