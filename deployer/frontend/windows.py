"""Window attributes of Conv and pools: automatic padding and rounding up made explicit."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from deployer.frontend.net import Net, Op
from deployer.ir.attrs import Pads, Window
from deployer.ir.ops import window_output

Size = tuple[int, int]


def conv_window(net: Net, op: Op) -> Window:
    """The window of a Conv over two axes."""
    return _window(op, net.shapes[op.input(1)][2:], net.shapes[op.input(0)][2:])


def pool_window(net: Net, op: Op) -> Window:
    """The window of a pool; what ceil_mode adds below and to the right is part of the pads."""
    window = _floor_window(net, op)
    (bottom, right), pads = ceil_extra(net, op), window.pads
    grown = Pads(pads.top, pads.left, pads.bottom + bottom, pads.right + right)
    return replace(window, pads=grown)


def ceil_extra(net: Net, op: Op) -> Size:
    """Rows and columns that a pool's ceil_mode needs below and to the right."""
    if not op.attrs.get("ceil_mode", 0) or _auto_pad(op).startswith("SAME"):
        return 0, 0
    height, width = net.shapes[op.input(0)][2:]
    return _round_up(_floor_window(net, op), (height, width))


def _floor_window(net: Net, op: Op) -> Window:
    return _window(op, op.ints("kernel_shape"), net.shapes[op.input(0)][2:])


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


def _auto_pad(op: Op) -> str:
    return str(op.attrs.get("auto_pad", "NOTSET")) or "NOTSET"


def _window(op: Op, kernel: tuple[int, ...], size: tuple[int, ...]) -> Window:
    strides, dilations = op.ints("strides", (1, 1)), op.ints("dilations", (1, 1))
    window = Window((kernel[0], kernel[1]), (strides[0], strides[1]), (dilations[0], dilations[1]))
    pads = _pads(op, window, (size[0], size[1]))
    return replace(window, pads=pads)


def _pads(op: Op, window: Window, size: Size) -> Pads:
    mode = _auto_pad(op)
    if mode == "VALID":
        return Pads()
    if mode == "NOTSET":
        return Pads(*op.ints("pads", (0, 0, 0, 0)))
    (top, bottom), (left, right) = (_same(window, axis, size[axis], mode) for axis in (0, 1))
    return Pads(top, left, bottom, right)


def _same(window: Window, axis: int, size: int, mode: str) -> Size:
    """Pads before and after that give ceil(size / stride) outputs; the odd one by ``mode``."""
    stride = window.stride[axis]
    total = max(0, (-(-size // stride) - 1) * stride + _span(window, axis) - size)
    small = total // 2
    return (small, total - small) if mode == "SAME_UPPER" else (total - small, small)
