"""What a depthwise convolution 3x3 over transposed blocks takes on eight cores, all of it in L1: an
estimate for choosing tiles, fitted to gap8_sim within 4 %."""

from __future__ import annotations

from dataclasses import dataclass

from deployer.kernelset.blocking.pulp import CLUSTER_CORES as CORES
from deployer.kernelset.blocking.pulp import GROUP_CHANNELS as GROUP
from deployer.kernelset.kernel import KernelCase


@dataclass(frozen=True)
class _Loop:
    """3x3 at a stride: cycles of a call; of a piece more, where rows of a channel are parted; of a
    channel; of a strip of its columns; of a row of four outputs, and of two."""

    call: float
    piece: float
    channel: float
    strip: float
    row: float
    half_row: float = 0.0


_LOOPS = {1: _Loop(336, 130, 66, 33, 33.4), 2: _Loop(301, 130, 70, 37, 38.3, 19)}


def strips_cycles(case: KernelCase) -> float:
    """Of the core with most rows, those of a channel in parts. Rules i32 and shift."""
    height, width = case.out_shape[1:3]
    loop, (strips, half) = _LOOPS[case.stride[0]], divmod(width, GROUP)
    rows = -(-case.out_channels * height // CORES)
    parted = rows % height > 0
    channels = -(-rows // height)
    each = loop.channel + (strips + (half > 0)) * loop.strip
    row = strips * loop.row + (half > 0) * loop.half_row
    return loop.call + parted * loop.piece + channels * each + rows * row
