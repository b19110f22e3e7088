"""Kernels for the vector instructions of ARMv8-A, tuned for the Cortex-A53."""

from __future__ import annotations

from deployer.kernelset.kernel import Kernel
from deployer.kernelset.neon import (
    convolution,
    deep,
    depthwise,
    depthwise_planes,
    elements,
    fully_connected,
    groups,
    move,
    of_outputs,
    planes,
    pool,
    products,
    scatter,
    wide,
    winograd,
)

KERNELS: tuple[Kernel, ...] = (
    *of_outputs.KERNELS,
    *wide.KERNELS,
    *scatter.KERNELS,
    *groups.KERNELS,
    *deep.KERNELS,
    *planes.KERNELS,
    *winograd.KERNELS,
    *convolution.KERNELS,
    *depthwise_planes.KERNELS,
    *depthwise.KERNELS,
    *fully_connected.KERNELS,
    *elements.KERNELS,
    *move.KERNELS,
    *pool.KERNELS,
    *products.KERNELS,
)
