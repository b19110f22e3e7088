"""Bytes of packed weights: of a node, and of some channels of it."""

from __future__ import annotations

from typing import TypeVar

import numpy as np

from deployer.kernelset.blocking.pulp import GROUP_CHANNELS as GROUP
from deployer.kernelset.kernel import Kernel, KernelCase
from deployer.kernelset.layouts import packed_bytes

Channels = TypeVar("Channels", int, np.ndarray)  # of one tile, or of many


def weight_bytes(kernel: Kernel, weights: np.ndarray, case: KernelCase) -> int:
    """What ``weights`` of a node take in the order that ``kernel`` wants."""
    given = case.stride, case.groups, case.dilation
    return packed_bytes(kernel.weight_layout, weights, *given)


def pieces_of(channels: Channels, unit: int) -> Channels:
    """Pieces of four output channels, of which each ``unit`` of ``channels`` begins with its own:
    whole units, or some of one."""
    found: Channels = channels // unit * -(-unit // GROUP) + -(-(channels % unit) // GROUP)
    return found
