"""The first input rows and columns that rows and columns of an output read.

One array per axis, an entry for each output position; NOTHING where all taps are padding. What
depends on attributes that a KernelCase does not have is bounded from below.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from deployer.kernelset.kernel import KernelCase, Shape

NOTHING = 1 << 40  # beyond every tensor, and no overflow when multiplied by bytes

Axes = tuple[np.ndarray, np.ndarray]


def hwc(shape: Shape) -> tuple[int, int, int]:
    """Height, width and channels of one sample, whatever its rank."""
    height, width, channels = (1, 1, *shape[1:])[-3:]
    return height, width, channels


def first_read(case: KernelCase) -> Axes:
    """For each row and each column of the output the first of the input that it needs."""
    find = _AXES.get(case.op, _same)
    inputs, outputs = hwc(case.in_shapes[0]), hwc(case.out_shape)
    rows, columns = (
        find(case, axis, np.arange(outputs[axis], dtype=np.int64), inputs[axis]) for axis in (0, 1)
    )
    return rows, columns


def _same(case: KernelCase, axis: int, at: np.ndarray, extent: int) -> np.ndarray:
    return at


def _windowed(case: KernelCase, axis: int, at: np.ndarray, extent: int) -> np.ndarray:
    dilation = case.dilation[axis]
    origin = at * case.stride[axis] - _pad(case, axis)
    tap = np.maximum(0, -(origin // dilation))
    first = origin + tap * dilation
    return np.where((tap < case.kernel[axis]) & (first < extent), first, NOTHING)


def _transposed(case: KernelCase, axis: int, at: np.ndarray, extent: int) -> np.ndarray:
    taps = np.arange(case.kernel[axis]) * case.dilation[axis]
    meets, rest = np.divmod(at[:, None] + _pad(case, axis) - taps, case.stride[axis])
    inside = (rest == 0) & (meets >= 0) & (meets < extent)
    return np.where(inside, meets, NOTHING).min(axis=1)


def _pad(case: KernelCase, axis: int) -> int:
    return (case.pads.top, case.pads.left)[axis]


def _before(case: KernelCase, axis: int) -> int:
    return (0, 0, *case.before[1:])[-3:][axis]


def _resized(case: KernelCase, axis: int, at: np.ndarray, extent: int) -> np.ndarray:
    """Linear samples as if centres were aligned: corners aligned read no earlier ones."""
    factor = len(at) // extent
    if case.mode == "nearest":
        return at // factor
    return np.maximum(0, (2 * at + 1 - factor) // (2 * factor))


def _padded(case: KernelCase, axis: int, at: np.ndarray, extent: int) -> np.ndarray:
    first = at - _before(case, axis)
    return np.where((first >= 0) & (first < extent), first, NOTHING)


def _sliced(case: KernelCase, axis: int, at: np.ndarray, extent: int) -> np.ndarray:
    return at + _before(case, axis)


def _spread(case: KernelCase, axis: int, at: np.ndarray, extent: int) -> np.ndarray:
    return at // (len(at) // extent)


def _gathered(case: KernelCase, axis: int, at: np.ndarray, extent: int) -> np.ndarray:
    return at * (extent // len(at))


_AXES: dict[str, Callable[[KernelCase, int, np.ndarray, int], np.ndarray]] = {
    "Conv2d": _windowed,
    "DepthwiseConv2d": _windowed,
    "AveragePool": _windowed,
    "MaxPool": _windowed,
    "ConvTranspose2d": _transposed,
    "Resize": _resized,
    "Pad": _padded,
    "Slice": _sliced,
    "DepthToSpace": _spread,
    "SpaceToDepth": _gathered,
}
