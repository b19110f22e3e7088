"""Sizes of convolution and pooling windows."""

from __future__ import annotations

Pads = tuple[int, int, int, int]  # top, left, bottom, right
Kernel = int | tuple[int, int]


def pair(value: Kernel) -> tuple[int, int]:
    return (value, value) if isinstance(value, int) else value


def sides(kernel: tuple[int, int], pads: Pads | int | None) -> Pads:
    """``pads`` on four sides; None for those that keep the size at stride 1 (odd kernels)."""
    if pads is None:
        return kernel[0] // 2, kernel[1] // 2, kernel[0] // 2, kernel[1] // 2
    return (pads, pads, pads, pads) if isinstance(pads, int) else pads


def same(size: tuple[int, int], kernel: tuple[int, int], stride: int) -> Pads:
    """TensorFlow's SAME: the odd pixel goes below and to the right."""
    total = [
        max(0, (-(-extent // stride) - 1) * stride + span - extent)
        for extent, span in zip(size, kernel, strict=True)
    ]
    top, left = (amount // 2 for amount in total)
    return top, left, total[0] - top, total[1] - left


def output_extent(extent: int, kernel: int, stride: int, before: int, after: int) -> int:
    """Positions of a window along one axis; below 1 when it does not fit."""
    return (extent + before + after - kernel) // stride + 1


def ceil_extent(extent: int, kernel: int, stride: int, pad: int) -> int:
    """As PyTorch rounds up: the last window still begins inside the tensor or its first pad."""
    count = -(-(extent + 2 * pad - kernel) // stride) + 1
    return count - 1 if (count - 1) * stride >= extent + pad else count
