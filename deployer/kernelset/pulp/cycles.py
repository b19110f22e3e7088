"""Estimated cycles of one kernel call on GAP8's eight cores, everything in L1, the caches warm.

Fitted to gap8_sim (docs/gap8-simulator.md). The slowest core counts: work comes in blocks.
"""

from __future__ import annotations

from math import prod

from deployer.kernelset.kernel import KernelCase

CORES = 8
CALL = 250.0  # entering and leaving a kernel, fields of its arguments


def _share(items: int) -> int:
    """Of the core with most of them."""
    return -(-items // CORES)


def _pixels(case: KernelCase) -> int:
    return prod(case.out_shape[1:-1])


def conv2d(case: KernelCase) -> float:
    """Blocks of four pixels by four channels: 24 cycles a word of a window [gap8-kernels 2]."""
    height, width = case.kernel
    row = width * case.in_channels
    words = height * -(-row // 4) if row % 4 == 0 else -(-height * row // 4)
    blocks, groups = -(-_pixels(case) // 4), -(-case.out_channels // 4)
    items = _share(blocks * groups)
    entered = -(-items // groups)
    return CALL + 1.02 * (items * (24 * words + 76 + 8 * height) + entered * 90)


def fully_connected(case: KernelCase) -> float:
    words, groups = -(-case.in_channels // 4), -(-case.out_channels // 4)
    return CALL + 1.02 * _share(groups) * (9 * words + 40)


def add(case: KernelCase) -> float:
    return CALL + 1.06 * prod(case.out_shape)


def max_pool(case: KernelCase) -> float:
    return CALL + 0.1225 * prod(case.out_shape) * prod(case.kernel)


def average_pool(case: KernelCase) -> float:
    return CALL + 0.235 * prod(case.out_shape) * prod(case.kernel) + prod(case.out_shape)


def depthwise(case: KernelCase) -> float:
    """Turning four channels at a time, then the products of their planes."""
    height, width, channels = case.in_shapes[0][1:]
    return CALL + 0.16 * height * width * channels + 1.0 * prod(case.out_shape)
