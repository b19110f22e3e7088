"""Which part of each input a part of the output needs."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from catalogue.memory import Region, whole
from catalogue.problem import Problem
from deployer.ir.attrs import Pads, Window

Parts = tuple[list[Region], Pads | None]
Span = tuple[int, int]


def hwc(x: np.ndarray) -> np.ndarray:
    """One sample as height, width, channels, whatever its rank."""
    return x.reshape((1, 1, *x.shape[1:])[-3:])


def sources(problem: Problem, region: Region | None) -> Parts:
    """A region of every input, and the window's pads beyond it. ``region``: of the output."""
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
    return _same(region, inputs), None


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
