"""Products of two activations."""

from __future__ import annotations

from deployer.kernelset.kernel import Kernel

KERNELS: tuple[Kernel, ...] = (
    Kernel("dpl_matmul_s8__xpulpv2", op="MatMul", assembly=("four_by_pixels.S",)),
)
