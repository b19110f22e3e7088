"""Adapters to the user's own build of Arm's CMSIS-NN, for cores with DSP instructions.

They take whole contiguous tensors of int8 and rules that single rounding computes bit for bit.
Scratch is what the library's own functions ask for on such a core (docs/cmsis-nn.md); a test
compares.
"""

from __future__ import annotations

from deployer.kernelset.cmsis_nn import convolution, elementwise, pool, transposed
from deployer.kernelset.kernel import Kernel

KERNELS: tuple[Kernel, ...] = (
    *convolution.KERNELS,
    *transposed.KERNELS,
    *pool.KERNELS,
    *elementwise.KERNELS,
)
