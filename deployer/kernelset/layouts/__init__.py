"""Orders in which kernels want their weights: from the IR's own to bytes for a C array."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np

from deployer.kernelset.layouts.cmsis_nn import cmsis_nn, cmsis_nn_plain
from deployer.kernelset.layouts.pairs import pairs
from deployer.kernelset.layouts.parameters import Parameters
from deployer.kernelset.layouts.quads import quads
from deployer.kernelset.layouts.remainders import remainders
from deployer.kernelset.layouts.taps import taps_3x3

LAYOUTS: Mapping[str, Callable[[Parameters], np.ndarray]] = {
    "pairs": pairs,
    "remainders": remainders,
    "taps_3x3": taps_3x3,
    "quads": quads,
    "cmsis_nn": cmsis_nn,
    "cmsis_nn_plain": cmsis_nn_plain,
}
__all__ = ["LAYOUTS", "Parameters", "packed"]


def packed(layout: str, given: Parameters) -> np.ndarray:
    """The bytes of a C array, flat; "" is the IR's own order."""
    return LAYOUTS[layout](given) if layout else given.weights
