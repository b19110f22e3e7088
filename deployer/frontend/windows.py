"""Window attributes of Conv and pools: automatic padding and rounding up made explicit.

A layer over one axis is one over two, of which the first has size 1.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from deployer.frontend.net import Net, Op
from deployer.ir import Pads, Window, window_output

Size = tuple[int, int]


def spatial_size(net: Net, name: str) -> Size:
    """Height and width of an ONNX value of rank 4, or of rank 3 with height 1."""
    return pair(net.shapes[name][2:], fill=1)


def pair(numbers: tuple[int, ...], *, fill: int) -> Size:
    """Two numbers for two axes; ``fill`` for the one that a layer over one axis lacks."""
    return (fill, numbers[0]) if len(numbers) == 1 else (numbers[0], numbers[1])


def four_pads(numbers: tuple[int, ...]) -> Pads:
    """ONNX pads: all beginnings, then all ends."""
    return Pads(0, numbers[0], 0, numbers[1]) if len(numbers) == 2 else Pads(*numbers)


def conv_window(net: Net, op: Op) -> Window:
    """The window of a Conv."""
    kernel = pair(net.shapes[op.input(1)][2:], fill=1)
    return _window(op, kernel, spatial_size(net, op.first))


def transposed_window(net: Net, op: Op) -> Window:
    """The window of a ConvTranspose; its pads crop the full result to the output's size."""
    kernel = pair(net.shapes[op.input(1)][2:], fill=1)
    window = _steps(op, kernel)
    size, output = spatial_size(net, op.first), spatial_size(net, op.output)
    if op.ints("output_shape") or auto_pad(op).startswith("SAME"):
        (top, bottom), (left, right) = (
            _cropped(op, window, axis, (size[axis], output[axis])) for axis in (0, 1)
        )
        return replace(window, pads=Pads(top, left, bottom, right))
    return window if auto_pad(op) == "VALID" else replace(window, pads=_given_pads(op))


def unit_stride_window(window: Window, size: Size, output: Size) -> Window | None:
    """Of the convolution with weights turned about that a transposed one of stride 1 is. None at
    other strides, and where an axis has one input, of which each output meets one tap."""
    alone = any(n == 1 < taps for n, taps in zip(size, window.kernel, strict=True))
    crops = window.pads.top, window.pads.left
    before = [_span(window, axis) - 1 - crops[axis] for axis in (0, 1)]
    after = [output[axis] - size[axis] + crops[axis] for axis in (0, 1)]
    beyond = any(pad >= _span(window, axis) for axis, pad in enumerate(after))
    if window.stride != (1, 1) or alone or min(*before, *after) < 0 or beyond:
        return None
    return replace(window, pads=Pads(before[0], before[1], after[0], after[1]))


def _cropped(op: Op, window: Window, axis: int, sizes: Size) -> Size:
    """What an output of a stated size lacks of the full result, before and after."""
    extra = pair(op.ints("output_padding", (0, 0)), fill=0)[axis]
    full = window.stride[axis] * (sizes[0] - 1) + extra + _span(window, axis)
    return _halves(max(0, full - sizes[1]), auto_pad(op))


def pool_window(net: Net, op: Op) -> Window:
    """The window of a pool; what ceil_mode adds below and to the right is part of the pads."""
    window = _floor_window(net, op)
    (bottom, right), pads = ceil_extra(net, op), window.pads
    grown = Pads(pads.top, pads.left, pads.bottom + bottom, pads.right + right)
    return replace(window, pads=grown)


def ceil_extra(net: Net, op: Op) -> Size:
    """Rows and columns that a pool's ceil_mode needs below and to the right."""
    if not op.attrs.get("ceil_mode", 0) or auto_pad(op).startswith("SAME"):
        return 0, 0
    return _round_up(_floor_window(net, op), spatial_size(net, op.first))


def _floor_window(net: Net, op: Op) -> Window:
    kernel = pair(op.ints("kernel_shape"), fill=1)
    return _window(op, kernel, spatial_size(net, op.first))


def _round_up(window: Window, size: Size) -> Size:
    """What rounding the output size up adds to height and width.

    The last window starts inside the tensor or its leading pad, else it is left out.
    """
    pads = window.pads
    sides = ((pads.top, pads.bottom), (pads.left, pads.right))
    extra = []
    for axis, (before, after) in enumerate(sides):
        span, stride = _span(window, axis), window.stride[axis]
        extent = size[axis] + before + after
        count = -(-(extent - span) // stride) + 1
        if (count - 1) * stride >= size[axis] + before:
            count -= 1
        extra.append(max(0, (count - 1) * stride + span - extent))
    return extra[0], extra[1]


def always_inside(window: Window, size: Size) -> bool:
    """Whether every window holds at least one element that is not padding."""
    counts = window_output(window, *size)
    before = (window.pads.top, window.pads.left)
    return min(counts) > 0 and all(
        _meets(
            window, axis, np.arange(counts[axis]) * window.stride[axis] - before[axis], size[axis]
        )
        for axis in (0, 1)
    )


def _meets(window: Window, axis: int, starts: np.ndarray, size: int) -> bool:
    """Whether windows that begin at ``starts`` have a tap in 0 ... size - 1."""
    dilation = window.dilation[axis]
    first = -(np.minimum(starts, 0) // dilation)
    inside = (first < window.kernel[axis]) & (starts + first * dilation < size)
    return bool(inside.all())


def _span(window: Window, axis: int) -> int:
    return (window.kernel[axis] - 1) * window.dilation[axis] + 1


def auto_pad(op: Op) -> str:
    return str(op.attrs.get("auto_pad", "NOTSET")) or "NOTSET"


def _window(op: Op, kernel: Size, size: Size) -> Window:
    window = _steps(op, kernel)
    return replace(window, pads=_pads(op, window, size))


def _steps(op: Op, kernel: Size) -> Window:
    """The window without pads."""
    strides, dilations = (pair(op.ints(name, (1, 1)), fill=1) for name in ("strides", "dilations"))
    return Window(kernel, strides, dilations)


def _given_pads(op: Op) -> Pads:
    return four_pads(op.ints("pads", (0, 0, 0, 0)))


def _pads(op: Op, window: Window, size: Size) -> Pads:
    mode = auto_pad(op)
    if mode == "VALID":
        return Pads()
    if mode == "NOTSET":
        return _given_pads(op)
    (top, bottom), (left, right) = (_same(window, axis, size[axis], mode) for axis in (0, 1))
    return Pads(top, left, bottom, right)


def _same(window: Window, axis: int, size: int, mode: str) -> Size:
    """Pads before and after that give ceil(size / stride) outputs; the odd one by ``mode``."""
    stride = window.stride[axis]
    total = max(0, (-(-size // stride) - 1) * stride + _span(window, axis) - size)
    return _halves(total, mode)


def _halves(total: int, mode: str) -> Size:
    """The odd element behind for SAME_UPPER, before otherwise."""
    small = total // 2
    return (small, total - small) if mode == "SAME_UPPER" else (total - small, small)
