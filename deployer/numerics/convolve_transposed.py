"""Transposed convolution: every input element adds its weighted window to the output."""

from __future__ import annotations

from itertools import product

import numpy as np

from deployer.ir import ConvTransposeAttrs


def transposed_sums(x: np.ndarray, weights: np.ndarray, attrs: ConvTransposeAttrs) -> np.ndarray:
    """Sums of products, no bias: x NHWC (real zero is 0), weights OHWI, both of one type."""
    window, (batch, height, width, _) = attrs.window, x.shape
    spans = [(k - 1) * d + 1 for k, d in zip(window.kernel, window.dilation, strict=True)]
    full = [(n - 1) * s + e for n, s, e in zip((height, width), window.stride, spans, strict=True)]
    room = [
        max(f, p + o)
        for f, p, o in zip(full, (window.pads.top, window.pads.left), attrs.output, strict=True)
    ]
    total = np.zeros((batch, *room, len(weights)), dtype=x.dtype)
    for ky, kx in product(*map(range, window.kernel)):
        rows = _positions(ky * window.dilation[0], height, window.stride[0])
        columns = _positions(kx * window.dilation[1], width, window.stride[1])
        total[:, rows, columns] += _by_group(x, weights[:, ky, kx], attrs.groups)
    top, left = window.pads.top, window.pads.left
    return total[:, top : top + attrs.output[0], left : left + attrs.output[1]]


def _positions(offset: int, count: int, stride: int) -> slice:
    return slice(offset, offset + (count - 1) * stride + 1, stride)


def _by_group(x: np.ndarray, weights: np.ndarray, groups: int) -> np.ndarray:
    parts = zip(np.split(x, groups, axis=3), np.split(weights, groups), strict=True)
    return np.concatenate([part @ kernel.T for part, kernel in parts], axis=3)
