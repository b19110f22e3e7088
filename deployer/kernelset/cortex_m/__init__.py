"""Kernels for cores with the DSP instructions of ARMv7E-M, tuned for the Cortex-M7."""

from __future__ import annotations

from deployer.kernelset.cortex_m import (
    convolution,
    dense,
    depthwise,
    elementwise,
    move,
    pool,
    resize,
    transposed,
)
from deployer.kernelset.kernel import Kernel

KERNELS: tuple[Kernel, ...] = (
    *convolution.KERNELS,
    *depthwise.KERNELS,
    *dense.KERNELS,
    *transposed.KERNELS,
    *elementwise.KERNELS,
    *pool.KERNELS,
    *move.KERNELS,
    *resize.KERNELS,
)
