"""Which part of each input a part of the output needs."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from catalogue.memory import Region, whole
from catalogue.problem import Problem
from deployer.ir.attrs import BlockAttrs, PadAttrs, Pads, ResizeAttrs, Window
from deployer.numerics.interpolate import axis_taps

Parts = tuple[list[Region], Pads | None]
Span = tuple[int, int]


def hwc(x: np.ndarray) -> np.ndarray:
    """One sample as height, width, channels, whatever its rank."""
    return x.reshape((1, 1, *x.shape[1:])[-3:])


def sources(problem: Problem, region: Region | None) -> Parts:
    """A region of every input, and the window's pads beyond it; of a magnification or a Pad, top
    and left of the output beside it. ``region``: of the output."""
    inputs = [hwc(x) for x in problem.inputs]
    window = getattr(problem.node.attrs, "window", None)
    if problem.node.op == "Slice":
        return [_shifted(region or whole(hwc(problem.expected)), problem.node.attrs.begin)], None
    if region is None:
        return [whole(x) for x in inputs], window.pads if window else None
    if problem.node.op == "ConvTranspose2d":
        found, pads = _under_transposed(window, region, inputs[0])
        return [found], pads
    if window:
        found, pads = _under(window, region, inputs[0])
        return [found], pads
    attrs = problem.node.attrs
    if isinstance(attrs, PadAttrs | ResizeAttrs | BlockAttrs):
        found, start = _moved(problem, region, inputs[0])
        return [found], start
    return _same(region, inputs), None


def _moved(problem: Problem, region: Region, x: np.ndarray) -> tuple[Region, Pads]:
    ends = (region.top, region.bottom), (region.left, region.right)
    (top, bottom), (left, right) = (_taken(problem, ends[axis], axis, x) for axis in (0, 1))
    if isinstance(attrs := problem.node.attrs, PadAttrs):
        above, left_of = _border(attrs)
        start = Pads(top + above - region.top, left + left_of - region.left)
    else:
        high, wide = attrs.factors if isinstance(attrs, ResizeAttrs) else [attrs.block] * 2
        start = Pads(region.top - top * high, region.left - left * wide)
    return Region(top, left, bottom, right), start


def _border(attrs: PadAttrs) -> Span:
    """Rows and columns before the input."""
    above, left_of, _ = (0, 0, *attrs.before[1:])[-3:]
    return above, left_of


def _taken(problem: Problem, outputs: Span, axis: int, x: np.ndarray) -> Span:
    """Inputs that outputs begin to end - 1 show, at least one."""
    attrs, extent = problem.node.attrs, x.shape[axis]
    if isinstance(attrs, PadAttrs):
        before = _border(attrs)[axis]
        first = min(max(outputs[0] - before, 0), extent - 1)
        return first, max(first + 1, min(outputs[1] - before, extent))
    if problem.node.op == "SpaceToDepth":
        return outputs[0] * attrs.block, outputs[1] * attrs.block
    if isinstance(attrs, ResizeAttrs) and attrs.mode == "linear":
        upper, lower, weight = axis_taps(extent, attrs.factors[axis], attrs.half_pixel)
        shown = slice(*outputs)
        met = np.where(weight[shown] > 0, lower[shown], upper[shown])
        return int(upper[outputs[0]]), int(met.max()) + 1
    if isinstance(attrs, ResizeAttrs):
        copies = np.array([outputs[0], outputs[1] - 1]) + attrs.start[axis]
        first, last = np.clip(copies // attrs.factors[axis], 0, extent - 1)
        return int(first), int(last) + 1
    return outputs[0] // attrs.block, (outputs[1] - 1) // attrs.block + 1


def _same(region: Region, inputs: Sequence[np.ndarray]) -> list[Region]:
    """The region itself, but a single pixel that is broadcast."""
    return [whole(x) if x.shape[:2] == (1, 1) else region for x in inputs]


def _shifted(region: Region, begin: Sequence[int]) -> Region:
    top, left = (0, 0, *begin[1:])[-3:-1]
    return Region(region.top + top, region.left + left, region.bottom + top, region.right + left)


def _under(window: Window, region: Region, x: np.ndarray) -> tuple[Region, Pads]:
    """The part of the input under the windows of ``region``, and how far they reach beyond."""
    (kh, kw), (sh, sw), (dh, dw) = window.kernel, window.stride, window.dilation
    top, left = region.top * sh - window.pads.top, region.left * sw - window.pads.left
    bottom = (region.bottom - 1) * sh - window.pads.top + (kh - 1) * dh + 1
    right = (region.right - 1) * sw - window.pads.left + (kw - 1) * dw + 1
    height, width = x.shape[:2]
    pads = Pads(max(0, -top), max(0, -left), max(0, bottom - height), max(0, right - width))
    return Region(max(0, top), max(0, left), min(bottom, height), min(right, width)), pads


def _under_transposed(window: Window, region: Region, x: np.ndarray) -> tuple[Region, Pads]:
    """As above for a transposed convolution, whose pads are cropped and may become negative."""
    (kh, kw), (sh, sw), (dh, dw) = window.kernel, window.stride, window.dilation
    top, bottom = _met((region.top, region.bottom), window.pads.top, (kh - 1) * dh, sh, x.shape[0])
    left, right = _met((region.left, region.right), window.pads.left, (kw - 1) * dw, sw, x.shape[1])
    pads = Pads(window.pads.top + region.top - top * sh, window.pads.left + region.left - left * sw)
    return Region(top, left, bottom, right), pads


def _met(outputs: Span, pad: int, reach: int, stride: int, extent: int) -> Span:
    """First input position that outputs begin to end - 1 meet, and one past the last."""
    first = max(0, -((reach - outputs[0] - pad) // stride))
    return first, min(extent, (outputs[1] - 1 + pad) // stride + 1)
