"""Shape rules that operators of several families share."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from deployer.ir.attrs import Window
from deployer.ir.ops.spec import Shape


def same_shape(attrs: Any, shapes: Sequence[Shape]) -> Shape:
    """Of the first input; the other activations have it too."""
    return shapes[0]


def window_output(window: Window, height: int, width: int) -> tuple[int, int]:
    """Output height and width of a sliding window, rounded down."""
    pads = window.pads
    extents = (height + pads.top + pads.bottom, width + pads.left + pads.right)
    spans = [(k - 1) * d + 1 for k, d in zip(window.kernel, window.dilation, strict=True)]
    tall, wide = (
        (extent - span) // stride + 1
        for extent, span, stride in zip(extents, spans, window.stride, strict=True)
    )
    return tall, wide
