"""A case's input channel after channel, for kernels that want it so."""

from __future__ import annotations

import numpy as np

from catalogue.arguments import Words
from catalogue.case import Case, Operand

_TENSOR, _PADS, _ZERO = slice(0, 8), slice(22, 26), 26  # words of a depthwise convolution


def planes(case: Case) -> tuple[Words, Operand]:
    """The words, and planes with room for the pads, zero points in it already: operands stay as
    they were. Noise lies before the first pads and between planes."""
    top, left, bottom, right = case.words[_PADS]
    x = _elements(case)
    height, width, channels = x.shape
    row = width + max(left, right) + height % 4
    lead, behind = width % 3, channels % 5
    plane = lead + left + (top + height + bottom) * row + right + behind
    image = np.full((channels, plane), 0x5C, np.int8)
    first = lead + left + top * row
    pixels = first + np.arange(height)[:, None] * row + np.arange(width)
    last = first + (height - 1) * row + width
    image[:, lead : last + bottom * row + right] = case.words[_ZERO]
    image[:, pixels] = x.transpose(2, 0, 1)
    tensor = (first, height, width, channels, row, plane, 0, 0)
    return (*tensor, *case.words[_TENSOR.stop :]), Operand(image.tobytes(), case.operands[0].shift)


def _elements(case: Case) -> np.ndarray:
    """The input, height by width by channels, from where it lies."""
    start, height, width, channels, row, pixel, ring, first = case.words[_TENSOR]
    rows = np.arange(first, first + height) % ring if ring else np.arange(height)
    at = start + rows[:, None, None] * row + np.arange(width)[:, None] * pixel
    return np.frombuffer(case.operands[0].data, np.int8)[at + np.arange(channels)]
