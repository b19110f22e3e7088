"""Sliding windows over a padded NHWC batch, shared by float and integer operators."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from deployer.ir import Window, window_output


def pad(x: np.ndarray, window: Window, fill: float) -> np.ndarray:
    """NHWC with the window's pads filled with ``fill``."""
    pads = window.pads
    if not pads.any:
        return x
    widths = ((0, 0), (pads.top, pads.bottom), (pads.left, pads.right), (0, 0))
    return np.pad(x, widths, constant_values=fill)


def taps(x: np.ndarray, window: Window, fill: float) -> np.ndarray:
    """A view of shape (N, OH, OW, C, kh, kw): every window's elements."""
    padded = pad(x, window, fill)
    (kh, kw), (dh, dw), (sh, sw) = window.kernel, window.dilation, window.stride
    span = ((kh - 1) * dh + 1, (kw - 1) * dw + 1)
    tall, wide = window_output(window, x.shape[1], x.shape[2])
    view = np.lib.stride_tricks.sliding_window_view(padded, span, axis=(1, 2))
    return view[:, ::sh, ::sw, :, ::dh, ::dw][:, :tall, :wide]


def tap_rows(x: np.ndarray, window: Window, fill: float) -> Iterator[tuple[int, int, np.ndarray]]:
    """For each tap (y, x) of the window the elements it meets, as (N, OH, OW·C).

    Strides are taken out beforehand by splitting the padded input into its phases, so every view
    has long contiguous rows, on which numpy is fast.
    """
    tall, wide = window_output(window, x.shape[1], x.shape[2])
    padded, channels = pad(x, window, fill), x.shape[3]
    (sh, sw), (dh, dw) = window.stride, window.dilation
    phases: dict[tuple[int, int], np.ndarray] = {}
    for ky, kx in np.ndindex(*window.kernel):
        (top, phase_y), (left, phase_x) = divmod(ky * dh, sh), divmod(kx * dw, sw)
        if (phase_y, phase_x) not in phases:
            part = padded[:, phase_y::sh, phase_x::sw]
            phases[phase_y, phase_x] = part.reshape(*part.shape[:2], -1)
        phase = phases[phase_y, phase_x]
        yield ky, kx, phase[:, top : top + tall, left * channels : (left + wide) * channels]


def taps_inside(window: Window, height: int, width: int) -> np.ndarray:
    """(OH, OW): how many taps of each window lie inside the tensor."""
    ones = np.ones((1, height, width, 1), dtype=np.int32)
    counts: np.ndarray = taps(ones, window, 0).sum(axis=(-1, -2))[0, :, :, 0]
    return counts
