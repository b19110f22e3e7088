"""Products of two activations, and normalizations."""

from __future__ import annotations

from deployer.kernelset.access import hwc
from deployer.kernelset.arguments import REAL
from deployer.kernelset.blocking.neon import (
    MATMUL_STRIP_PIXELS,
    NARROW_BLOCK_CHANNELS,
    SCRATCH_CORES,
    WIDE_BLOCK_CHANNELS,
    WIDE_STEP_VALUES,
)
from deployer.kernelset.kernel import Kernel, KernelCase
from deployer.kernelset.order import BY_PIXELS

_TABLE_BYTES = 4 * 4 * NARROW_BLOCK_CHANNELS  # bias, multiplier, rounding, shift


def _packed(case: KernelCase) -> int:
    """Of each core a strip of the left and a piece of the right as int16, in whole steps."""
    pixel = 2 * (-(-case.in_channels // WIDE_STEP_VALUES) * WIDE_STEP_VALUES)
    tables = WIDE_BLOCK_CHANNELS // NARROW_BLOCK_CHANNELS * _TABLE_BYTES
    strip = min(MATMUL_STRIP_PIXELS, hwc(case.in_shapes[0])[1])
    return SCRATCH_CORES * (pixel * (strip + WIDE_BLOCK_CHANNELS) + tables)


def _piece(case: KernelCase) -> int:
    """Of each core eight pixels of the right behind as many biases."""
    return SCRATCH_CORES * 4 * WIDE_BLOCK_CHANNELS * (1 + case.in_channels)


KERNELS: tuple[Kernel, ...] = (
    Kernel("dpl_matmul_s8__armv8a", op="MatMul", scratch=_packed),
    Kernel("dpl_matmul_f32__armv8a", op="MatMul", act=REAL, weights=REAL, scratch=_piece),
    Kernel("dpl_layer_norm_s8__armv8a", op="LayerNorm", order=BY_PIXELS),
    Kernel("dpl_group_norm_s8__armv8a", op="GroupNorm"),
)
