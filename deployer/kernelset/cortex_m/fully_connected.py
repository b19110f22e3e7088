"""Fully connected layers, weights read once."""

from __future__ import annotations

from deployer.kernelset.blocking.cortex_m import (
    GEMV_OVERREAD_BYTES,
    GEMV_VALUES,
)
from deployer.kernelset.kernel import Kernel, KernelCase
from deployer.kernelset.layouts import WeightLayout
from deployer.kernelset.layouts.x8c4 import blocks_of
from deployer.kernelset.order import AccessOrder


def _packs(case: KernelCase) -> bool:
    """Sums of 24 bits, and pairs of weights that a halfword holds."""
    return case.accumulator_bound < 1 << 23 and case.pairs_fit


def _halves_fit(case: KernelCase) -> bool:
    return case.pairs_fit


def _inputs(case: KernelCase) -> int:
    """The input widened for blocks of channels, with what is read behind it; for the pairs left,
    its last values filled up to eight."""
    blocks, left = blocks_of(case.out_channels)
    depth = -(-case.in_channels // GEMV_VALUES) * GEMV_VALUES
    filled = GEMV_VALUES if left and case.in_channels % GEMV_VALUES else 0
    return (2 * depth + GEMV_OVERREAD_BYTES if blocks else 0) + filled


KERNELS: tuple[Kernel, ...] = (
    Kernel(
        "dpl_fully_connected_s8__armv7em",
        op="FullyConnected",
        when=_packs,
        scratch=_inputs,
        weight_layout=WeightLayout.X8C4,
        order=AccessOrder(rows=0, buffered=True),
    ),
    Kernel(
        "dpl_fully_connected_s8__armv7em_long",
        op="FullyConnected",
        when=_halves_fit,
        scratch=_inputs,
        weight_layout=WeightLayout.X8C4_CHUNKS,
        order=AccessOrder(rows=0, buffered=True),
    ),
)
