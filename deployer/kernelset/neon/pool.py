"""Pools: vectors of channels of four pixels at a time."""

from __future__ import annotations

from deployer.kernelset.arguments import REAL
from deployer.kernelset.kernel import Kernel
from deployer.kernelset.order import BY_ROWS


def _of_floats(name: str, op: str) -> Kernel:
    return Kernel(f"dpl_{name}_pool_f32__armv8a", op=op, act=REAL, weights=REAL, order=BY_ROWS)


KERNELS: tuple[Kernel, ...] = (
    Kernel("dpl_average_pool_s8__armv8a", op="AveragePool", order=BY_ROWS),
    Kernel("dpl_average_pool_s16__armv8a", op="AveragePool", act="s16", order=BY_ROWS),
    Kernel("dpl_max_pool_s8__armv8a", op="MaxPool", order=BY_ROWS),
    Kernel("dpl_max_pool_s16__armv8a", op="MaxPool", act="s16", order=BY_ROWS),
    Kernel("dpl_min_pool_s8__armv8a", op="MinPool", order=BY_ROWS),
    _of_floats("average", "AveragePool"),
    _of_floats("max", "MaxPool"),
    _of_floats("min", "MinPool"),
)
