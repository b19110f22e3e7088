"""Kernels for cores with the DSP instructions of ARMv7E-M, tuned for the Cortex-M7."""

from __future__ import annotations

from deployer.kernelset.cortex_m import (
    channel,
    convolution,
    depthwise,
    direct_choice,
    elementwise,
    fully_connected,
    int16,
    move,
    pool,
    singles,
    slim,
    transposed,
    winograd,
)
from deployer.kernelset.kernel import Kernel

KERNELS: tuple[Kernel, ...] = (
    *channel.KERNELS,
    *winograd.KERNELS,
    *transposed.JOINED,
    *direct_choice.KERNELS,
    *singles.KERNELS,
    *convolution.KERNELS,
    *depthwise.KERNELS,
    *slim.KERNELS,
    *fully_connected.KERNELS,
    *transposed.KERNELS,
    *elementwise.KERNELS,
    *int16.KERNELS,
    *pool.KERNELS,
    *move.KERNELS,
)
