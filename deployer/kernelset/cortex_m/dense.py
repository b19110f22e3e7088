"""Dense layers, weights read once."""

from __future__ import annotations

from deployer.kernelset.kernel import Kernel, KernelCase
from deployer.kernelset.order import AccessOrder


def _sums_of_24_bits(case: KernelCase) -> bool:
    return case.reach < 1 << 23


def _widened_input(case: KernelCase) -> int:
    return -(-case.in_channels // 8) * 16 + 8


KERNELS: tuple[Kernel, ...] = (
    Kernel(
        "dpl_fully_connected_s8__armv7em",
        op="FullyConnected",
        when=_sums_of_24_bits,
        scratch=_widened_input,
        weight_layout="quads",
        order=AccessOrder(rows=0, buffered=True),
    ),
)
