"""Fully connected layers: one pixel by eight output channels."""

from __future__ import annotations

from deployer.kernelset.blocking.neon import STEP_VALUES
from deployer.kernelset.kernel import Kernel, KernelCase
from deployer.kernelset.layouts import WeightLayout
from deployer.kernelset.order import AT_ONCE


def _whole_steps(case: KernelCase) -> int:
    """A copy of an input that is not in whole steps."""
    left = case.in_channels % STEP_VALUES
    return case.in_channels - left + STEP_VALUES if left else 0


KERNELS: tuple[Kernel, ...] = (
    Kernel(
        "dpl_fully_connected_s8__armv8a",
        op="FullyConnected",
        scratch=_whole_steps,
        weight_layout=WeightLayout.X4C16,
        order=AT_ONCE,
    ),
)
