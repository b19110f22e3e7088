"""What a depthwise convolution 3x3 over transposed blocks takes on eight cores, all of it in L1: an
estimate for choosing tiles, fitted to gap8_sim."""

from __future__ import annotations

from deployer.kernelset.blocking.pulp import CLUSTER_CORES as CORES
from deployer.kernelset.kernel import KernelCase

_CALL, _PIECE, _CHANNEL, _STRIP = 200, 60, 60, 60
_ROW = {1: 34.0, 2: 39.0}  # of four outputs
_HALF_ROW = 21.0  # of two, at stride 2


def strips_cycles(case: KernelCase) -> float:
    """Of the core with most rows, its first channel and its last in parts. Rules i32 and shift."""
    height, width = case.out_shape[1:3]
    strips, half = divmod(width, 4)
    rows = -(-case.out_channels * height // CORES)
    channels = -(-rows // height) + (rows % height > 0)
    row = strips * _ROW[case.stride[0]] + (_HALF_ROW if half else 0)
    each = _CHANNEL + (strips + (half > 0)) * _STRIP
    return _CALL + _PIECE * (1 + (rows % height > 0)) + channels * each + rows * row
