"""Convolutions: four pixels by four output channels, sixteen values of each at a time."""

from __future__ import annotations

import math
from dataclasses import replace

from deployer.ir import Pads
from deployer.kernelset.access import hwc
from deployer.kernelset.arguments import REAL
from deployer.kernelset.blocking.neon import (
    NARROW_BLOCK_PIXELS,
    SCRATCH_CORES,
    STEP_BYTES,
    WIDE_BLOCK_PIXELS,
    WINDOW_STRIP_BYTES,
    WINDOW_STRIP_PIXELS,
)
from deployer.kernelset.kernel import Kernel, KernelCase
from deployer.kernelset.layouts import WeightLayout
from deployer.kernelset.order import AccessOrder

_BYTES = {"s8": 1, "s16": 2, REAL: 4}
_HALF_STEP_BYTES = STEP_BYTES // 2
_BLOCK_PIXELS = {"s8": NARROW_BLOCK_PIXELS, "s16": WIDE_BLOCK_PIXELS, REAL: WIDE_BLOCK_PIXELS}


def _whole_groups(case: KernelCase) -> bool:
    return not (case.in_channels % case.groups or case.out_channels % case.groups)


def _no_gaps(case: KernelCase) -> bool:
    """Between what neighbouring inputs of a transposed convolution reach."""
    steps = zip(case.kernel, case.stride, strict=True)
    return case.dilation == (1, 1) and all(k >= s for k, s in steps) and _whole_groups(case)


def _window_bytes(case: KernelCase) -> int:
    """In whole steps."""
    values = math.prod(case.kernel) * case.in_channels // case.groups
    return -(-values * _BYTES[case.act] // STEP_BYTES) * STEP_BYTES


def _strip_pixels(case: KernelCase) -> int:
    fit, block = WINDOW_STRIP_BYTES // _window_bytes(case), _BLOCK_PIXELS[case.act]
    rows, columns, _ = hwc(case.out_shape)
    return min(WINDOW_STRIP_PIXELS, max(block, fit - fit % block), rows * columns)


def _in_place(case: KernelCase) -> bool:
    """A pixel that is its own window, in whole steps; of int8 also half of one, of floats any."""
    used = case.in_channels // case.groups * _BYTES[case.act]
    half = case.act == "s8" and used == _HALF_STEP_BYTES
    whole = case.act == REAL or used % STEP_BYTES == 0 or half
    return case.kernel == (1, 1) and not case.pads.any and whole


def _copies(case: KernelCase) -> int:
    """The windows of a strip of each core."""
    if _in_place(case):
        return 0
    return SCRATCH_CORES * _strip_pixels(case) * _window_bytes(case)


def _by_strips(case: KernelCase) -> AccessOrder | None:
    """A group's strips are written before the next one's are read."""
    if case.groups > 1:
        return None
    return AccessOrder(run=_strip_pixels(case), buffered=not _in_place(case))


def _remainder_copies(case: KernelCase) -> int:
    """Of the largest of the convolutions that a transposed one consists of."""
    down, across = case.stride
    rows, columns, channels = hwc(case.out_shape)
    plane = (1, -(-rows // down), -(-columns // across), channels)
    taps = {
        (len(range(y, case.kernel[0], down)), len(range(x, case.kernel[1], across)))
        for y in range(down)
        for x in range(across)
    }
    padded = Pads(1, 1, 1, 1)
    return max(
        _copies(replace(case, kernel=kernel, pads=padded, out_shape=plane)) for kernel in taps
    )


_LAYOUTS = {
    "s8": WeightLayout.X4C16,
    "s16": WeightLayout.X8,
    REAL: WeightLayout.X8_FLOATS,
}
_REMAINDERS = {
    "s8": WeightLayout.X4C16_REMAINDERS,
    "s16": WeightLayout.X8_REMAINDERS,
    REAL: WeightLayout.X8_FLOATS_REMAINDERS,
}

KERNELS: tuple[Kernel, ...] = (
    *(
        Kernel(
            f"dpl_conv2d_{act}__armv8a",
            op="Conv2d",
            act=act,
            weights=REAL if act == REAL else "s8",
            when=_whole_groups,
            scratch=_copies,
            weight_layout=layout,
            order=_by_strips,
        )
        for act, layout in _LAYOUTS.items()
    ),
    *(
        Kernel(
            f"dpl_conv_transpose2d_{act}__armv8a",
            op="ConvTranspose2d",
            act=act,
            weights=REAL if act == REAL else "s8",
            when=_no_gaps,
            scratch=_remainder_copies,
            weight_layout=layout,
        )
        for act, layout in _REMAINDERS.items()
    ),
)
