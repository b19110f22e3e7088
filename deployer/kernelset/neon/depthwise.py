"""Depthwise convolutions: eight channels of a tap at a time."""

from __future__ import annotations

import math

from deployer.kernelset.arguments import REAL
from deployer.kernelset.blocking.neon import DEPTHWISE_CHANNELS, NARROW_BLOCK_PIXELS, SCRATCH_CORES
from deployer.kernelset.kernel import Kernel, KernelCase
from deployer.kernelset.layouts import WeightLayout
from deployer.kernelset.order import AccessOrder

_POINTER_BYTES = 8
_ALIGNED_BYTES = 16
_TAPS_AHEAD = 2
_ELEMENT_BYTES = {"s8": 1, "s16": 2, REAL: 4}


def _lanes(case: KernelCase) -> int:
    return max(case.out_channels, DEPTHWISE_CHANNELS)


def _copies_rows(case: KernelCase) -> bool:
    """Where outputs are not as many as inputs, or fewer than eight."""
    return _lanes(case) != case.in_channels


def _order(case: KernelCase) -> AccessOrder:
    if _copies_rows(case):
        return AccessOrder(buffered=True, once=True)
    return AccessOrder(run=NARROW_BLOCK_PIXELS)


def _own_bytes(case: KernelCase) -> int:
    """Of all cores: where the taps of a block's pixels are, in pairs, and of one more; zero points
    of a pixel; and the rows that a window covers where they are copied."""
    taps = math.prod(case.kernel)
    listed = (taps + taps % 2 + _TAPS_AHEAD) * NARROW_BLOCK_PIXELS
    pixel = _lanes(case) * _ELEMENT_BYTES[case.act]
    span = (case.kernel[0] - 1) * case.dilation[0] + 1
    ring = span * case.in_shapes[0][2] * pixel if _copies_rows(case) else 0
    parts = listed * _POINTER_BYTES, pixel, ring
    return SCRATCH_CORES * sum(-(-part // _ALIGNED_BYTES) * _ALIGNED_BYTES for part in parts)


_LAYOUTS = {
    "s8": WeightLayout.TAPS_C8,
    "s16": WeightLayout.TAPS_C8_WIDE,
    REAL: WeightLayout.TAPS_C8_FLOATS,
}
KERNELS: tuple[Kernel, ...] = tuple(
    Kernel(
        f"dpl_depthwise_conv2d_{act}__armv8a",
        op="DepthwiseConv2d",
        act=act,
        weights=REAL if act == REAL else "s8",
        scratch=_own_bytes,
        weight_layout=layout,
        order=_order,
    )
    for act, layout in _LAYOUTS.items()
)
