"""Convolutions: four pixels by four output channels, sixteen values of each at a time."""

from __future__ import annotations

import math

from deployer.kernelset.blocking.neon import (
    BLOCK_PIXELS,
    SCRATCH_CORES,
    STEP_VALUES,
    STRIP_BYTES,
    STRIP_PIXELS,
)
from deployer.kernelset.kernel import Kernel, KernelCase
from deployer.kernelset.layouts import WeightLayout
from deployer.kernelset.order import AccessOrder


def _one_group(case: KernelCase) -> bool:
    return case.groups == 1


def _window_bytes(case: KernelCase) -> int:
    values = math.prod(case.kernel) * case.in_channels
    return -(-values // STEP_VALUES) * STEP_VALUES


def _strip_pixels(case: KernelCase) -> int:
    fit = STRIP_BYTES // _window_bytes(case)
    return min(STRIP_PIXELS, max(BLOCK_PIXELS, fit - fit % BLOCK_PIXELS))


def _in_place(case: KernelCase) -> bool:
    """A pixel that is its own window, in whole steps."""
    return case.kernel == (1, 1) and not case.pads.any and case.in_channels % STEP_VALUES == 0


def _copies(case: KernelCase) -> int:
    """The windows of a strip of each core."""
    return 0 if _in_place(case) else SCRATCH_CORES * _strip_pixels(case) * _window_bytes(case)


def _by_strips(case: KernelCase) -> AccessOrder:
    return AccessOrder(run=_strip_pixels(case), buffered=not _in_place(case))


KERNELS: tuple[Kernel, ...] = (
    Kernel(
        "dpl_conv2d_s8__armv8a",
        op="Conv2d",
        when=_one_group,
        scratch=_copies,
        weight_layout=WeightLayout.X4C16,
        order=_by_strips,
    ),
)
