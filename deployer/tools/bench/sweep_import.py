"""A drawn layer as a network that is imported has it."""

from __future__ import annotations

from dataclasses import replace

from deployer.frontend import imported_window
from deployer.tools.bench.sweep_layers import Part, Shape, SweepLayer

_ROWS = {"Conv2d": 1, "DepthwiseConv2d": 0, "ConvTranspose2d": 1}  # axis of the weights


def as_imported(layer: SweepLayer) -> SweepLayer:
    """Without the rows and columns of windows that meet padding only: they are no products."""
    shapes = zip(layer.parts, layer.shapes, layer.shapes[1:], strict=False)
    parts = tuple(_part(part, read[0], made[0]) for part, read, made in shapes)
    return layer if parts == layer.parts else replace(layer, parts=parts)


def _part(part: Part, read: Shape, made: Shape) -> Part:
    if part.op not in _ROWS:
        return part
    window = imported_window(part.op, part.attrs.window, read[1:3], made[1:3])
    at = _ROWS[part.op]
    weights = (*part.weights[:at], *window.kernel, *part.weights[at + 2 :])
    return replace(part, attrs=replace(part.attrs, window=window), weights=weights)
