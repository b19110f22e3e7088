"""What attention consists of: products of two activations, softmax, normalizations."""

from __future__ import annotations

from deployer.kernelset.kernel import Kernel

KERNELS: tuple[Kernel, ...] = (
    Kernel("dpl_matmul_s8__xpulpv2", op="MatMul", assembly=("four_by_pixels.S",)),
    Kernel("dpl_layer_norm_s8__xpulpv2", op="LayerNorm"),
    Kernel("dpl_softmax_s8__xpulpv2", op="Softmax"),
)
