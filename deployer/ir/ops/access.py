"""Access maps: the first input rows and columns that rows and columns of an output read.

A map takes the geometry of a node, an axis (0: rows, 1: columns), all positions of the output along
it, and the input's extent. It gives an entry for each position, NOTHING where all taps are padding.
What depends on attributes that a geometry does not have is bounded from below.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

import numpy as np

from deployer.ir.attrs import Pads, ResizeMode

NOTHING = 1 << 40  # beyond every tensor, and no overflow when multiplied by bytes


class Geometry(Protocol):
    """What a kernel sees of a node's attributes; ``before`` is what a Pad puts before its input,
    where in its input a Slice or in its copies a nearest Resize begins, an entry an axis."""

    @property
    def kernel(self) -> tuple[int, int]: ...
    @property
    def stride(self) -> tuple[int, int]: ...
    @property
    def dilation(self) -> tuple[int, int]: ...
    @property
    def pads(self) -> Pads: ...
    @property
    def before(self) -> tuple[int, ...]: ...
    @property
    def mode(self) -> str: ...


AccessMap = Callable[[Geometry, int, np.ndarray, int], np.ndarray]


def same(case: Geometry, axis: int, at: np.ndarray, extent: int) -> np.ndarray:
    """A pixel reads the pixel in its place."""
    return at


def whole(case: Geometry, axis: int, at: np.ndarray, extent: int) -> np.ndarray:
    """Every position reads all of the input."""
    return np.zeros_like(at)


def windowed(case: Geometry, axis: int, at: np.ndarray, extent: int) -> np.ndarray:
    """A window reads its taps from the first one inside of the input."""
    dilation = case.dilation[axis]
    origin = at * case.stride[axis] - _pad(case, axis)
    tap = np.maximum(0, -(origin // dilation))
    first = origin + tap * dilation
    return np.where((tap < case.kernel[axis]) & (first < extent), first, NOTHING)


def transposed(case: Geometry, axis: int, at: np.ndarray, extent: int) -> np.ndarray:
    """An output of a transposed convolution reads the inputs whose windows meet it."""
    taps = np.arange(case.kernel[axis]) * case.dilation[axis]
    meets, rest = np.divmod(at[:, None] + _pad(case, axis) - taps, case.stride[axis])
    inside = (rest == 0) & (meets >= 0) & (meets < extent)
    least: np.ndarray = np.where(inside, meets, NOTHING).min(axis=1)
    return least


def resized(case: Geometry, axis: int, at: np.ndarray, extent: int) -> np.ndarray:
    """Linear samples as if centres were aligned: corners aligned read no earlier ones."""
    factor = len(at) // extent
    if case.mode == ResizeMode.NEAREST:
        copied: np.ndarray = np.clip((at + _before(case, axis)) // factor, 0, extent - 1)
        return copied
    first: np.ndarray = np.maximum(0, (2 * at + 1 - factor) // (2 * factor))
    return first


def padded(case: Geometry, axis: int, at: np.ndarray, extent: int) -> np.ndarray:
    """The border reads nothing."""
    first = at - _before(case, axis)
    return np.where((first >= 0) & (first < extent), first, NOTHING)


def sliced(case: Geometry, axis: int, at: np.ndarray, extent: int) -> np.ndarray:
    """The part begins further in."""
    return at + _before(case, axis)


def spread(case: Geometry, axis: int, at: np.ndarray, extent: int) -> np.ndarray:
    """A pixel becomes a block of pixels."""
    return at // (len(at) // extent)


def gathered(case: Geometry, axis: int, at: np.ndarray, extent: int) -> np.ndarray:
    """A block of pixels becomes one pixel."""
    return at * (extent // len(at))


def _pad(case: Geometry, axis: int) -> int:
    return (case.pads.top, case.pads.left)[axis]


def _before(case: Geometry, axis: int) -> int:
    return (0, 0, *case.before[1:])[-3:][axis]
