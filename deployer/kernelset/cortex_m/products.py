"""Products of two activations, and normalizations."""

from __future__ import annotations

from deployer.kernelset.blocking.cortex_m import MATMUL_PIXELS
from deployer.kernelset.kernel import Kernel, KernelCase
from deployer.kernelset.order import BY_PIXELS


def _packed(case: KernelCase) -> int:
    """Some pixels of one side as int16, four channels at a time."""
    return 2 * MATMUL_PIXELS * (-(-case.in_channels // 4) * 4)


KERNELS: tuple[Kernel, ...] = (
    Kernel("dpl_matmul_s8__armv7em", op="MatMul", scratch=_packed),
    Kernel("dpl_layer_norm_s8__armv7em", op="LayerNorm", order=BY_PIXELS),
    Kernel("dpl_group_norm_s8__armv7em", op="GroupNorm"),
)
