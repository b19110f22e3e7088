"""Orders in which kernels want their weights: from the IR's own to bytes for a C array."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np

from deployer.ir import AFFINE, RequantRule
from deployer.kernelset.layouts.cmsis_nn import OUTPUT_AXIS, cmsis_nn, cmsis_nn_plain
from deployer.kernelset.layouts.depthwise import depthwise, taps_3x3
from deployer.kernelset.layouts.parameters import Parameters
from deployer.kernelset.layouts.remainders import x2c4_remainders, x4c4_remainders
from deployer.kernelset.layouts.winograd import winograd
from deployer.kernelset.layouts.x2c4 import x2c4, x2c4_ordered
from deployer.kernelset.layouts.x4c4 import x4c4
from deployer.kernelset.layouts.x4c4_paired import x4c4_paired
from deployer.kernelset.layouts.x8c4 import x8c4

LAYOUTS: Mapping[str, Callable[[Parameters], np.ndarray]] = {
    "x2c4": x2c4,
    "x2c4_ordered": x2c4_ordered,
    "x2c4_remainders": x2c4_remainders,
    "taps_3x3": taps_3x3,
    "x4c4_paired": x4c4_paired,
    "x8c4": x8c4,
    "x4c4": x4c4,
    "x4c4_remainders": x4c4_remainders,
    "depthwise": depthwise,
    "winograd": winograd,
    "cmsis_nn": cmsis_nn,
    "cmsis_nn_plain": cmsis_nn_plain,
}
_WITH_TABLES = {"x4c4", "depthwise"}
__all__ = ["LAYOUTS", "Parameters", "has_all", "packed", "packed_bytes"]


def has_all(layout: str, rule: str) -> bool:
    """Whether weights in ``layout`` bring biases and requantization along: the kernel reads no
    other constants."""
    return layout in _WITH_TABLES and rule in AFFINE


def packed(layout: str, given: Parameters) -> np.ndarray:
    """The bytes of a C array, flat; "" is the IR's own order."""
    return LAYOUTS[layout](given) if layout else given.weights


def packed_bytes(layout: str, weights: np.ndarray, stride: tuple[int, int]) -> int:
    """What ``packed`` takes of flash for weights in the IR's order."""
    if not layout:
        return weights.nbytes
    nothing = np.zeros(weights.shape[OUTPUT_AXIS[weights.ndim]], np.int32)
    given = Parameters(
        weights, nothing, nothing, stride, rule=RequantRule.Q31, rounding=nothing, shift=nothing
    )
    return packed(layout, given).nbytes
