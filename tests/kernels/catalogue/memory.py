"""How a tensor lies in memory: pitches, gaps, rings, windows. Written apart from the C code."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class Form:
    """Elements beyond a contiguous tensor.

    ``leading_gap`` elements come before it, ``pixel_gap`` after each pixel, ``row_gap`` after each
    row. A ring holds ``ring_extra`` rows more than the window, and is rotated by ``rotation`` rows.
    """

    leading_gap: int = 0
    pixel_gap: int = 0
    row_gap: int = 0
    ring_extra: int | None = None
    rotation: int = 0


CONTIGUOUS = Form()


@dataclass(frozen=True)
class Region:
    """A window of a tensor, half-open."""

    top: int
    left: int
    bottom: int
    right: int

    @property
    def height(self) -> int:
        return self.bottom - self.top

    @property
    def width(self) -> int:
        return self.right - self.left

    @property
    def empty(self) -> bool:
        return self.height <= 0 or self.width <= 0


def whole(tensor: np.ndarray) -> Region:
    return Region(0, 0, tensor.shape[0], tensor.shape[1])


@dataclass(frozen=True, eq=False)
class Laid:
    """``words``: the C tensor's fields, data as an element offset. ``mask``: 1 at its elements."""

    words: tuple[int, ...]
    image: np.ndarray
    mask: np.ndarray


def lay(tensor: np.ndarray, region: Region, form: Form, rng: np.random.Generator) -> Laid:
    """Only the region of ``tensor`` (H, W, C) is written; the rest of the memory is noise.

    The memory ends with the last element, so that a byte too far meets the guards.
    """
    height, width, channels = tensor.shape
    pixel = channels + form.pixel_gap
    row = width * pixel + form.row_gap
    ring = 0 if form.ring_extra is None else region.height + form.ring_extra
    rotated = [(y + form.rotation) % ring if ring else y for y in range(region.top, region.bottom)]
    last = (ring or height) - 1
    noise = np.dtype(np.int16) if tensor.dtype.kind == "f" else tensor.dtype
    low, high = np.iinfo(noise).min, np.iinfo(noise).max
    count = form.leading_gap + last * row + width * pixel - form.pixel_gap
    image = rng.integers(low, high + 1, count).astype(tensor.dtype)
    columns = np.arange(region.left, region.right) * pixel
    rows = np.array(rotated)[:, None, None] * row
    at = form.leading_gap + rows + columns[:, None] + np.arange(channels)
    image[at] = tensor[region.top : region.bottom, region.left : region.right]
    mask = np.zeros(image.shape, dtype=np.int8)
    mask[at] = 1
    start = form.leading_gap + region.left * pixel + (0 if ring else region.top * row)
    first_row = region.top + form.rotation if ring else 0
    words = (start, region.height, region.width, channels, row, pixel, ring, first_row)
    return Laid(words, image, mask)


def channel_view(laid: Laid, first: int, count: int) -> Laid:
    """Some of the channels: the same bytes under other fields."""
    start, height, width, _, *rest = laid.words
    return Laid((start + first, height, width, count, *rest), laid.image, laid.mask)


def random_form(rng: np.random.Generator) -> Form:
    """Contiguous four times in ten; otherwise gaps, a ring, or both."""
    if rng.random() < 0.4:
        return CONTIGUOUS
    gap = int(rng.integers(0, 4))
    ring = int(rng.integers(0, 4)) if rng.random() < 0.5 else None
    return Form(
        leading_gap=int(rng.integers(0, gap + 1)),
        pixel_gap=gap,
        row_gap=int(rng.integers(0, 6)),
        ring_extra=ring,
        rotation=int(rng.integers(0, 50)) if ring is not None else 0,
    )
