"""What a depthwise 1x1 takes on eight cores, all of it in L1: an estimate for choosing tiles."""

from __future__ import annotations

from deployer.kernelset.blocking.pulp import CLUSTER_CORES as CORES
from deployer.kernelset.blocking.pulp import GROUP_CHANNELS as GROUP
from deployer.kernelset.kernel import KernelCase


def point_cycles(case: KernelCase) -> float:
    height, width, channels = case.out_shape[1:]
    return 300 + 21 * height * width * channels / GROUP / CORES
