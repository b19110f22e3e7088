"""Kernels for XpulpV2, the instruction set of GAP8's cores, shared among them."""

from __future__ import annotations

from deployer.kernelset.kernel import Kernel
from deployer.kernelset.pulp import (
    convolution,
    depthwise,
    elementwise,
    fully_connected,
    move,
    pool,
    transposed,
    wide,
)

KERNELS: tuple[Kernel, ...] = (
    *fully_connected.KERNELS,
    *convolution.KERNELS,
    *depthwise.KERNELS,
    *elementwise.KERNELS,
    *pool.KERNELS,
    *move.KERNELS,
    *transposed.KERNELS,
    *wide.KERNELS,
)
