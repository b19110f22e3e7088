"""Orders in which kernels want their weights: from the IR's own to bytes for a C array."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import lru_cache

import numpy as np

from deployer.ir import RequantRule
from deployer.kernelset.layouts.cmsis_nn import OUTPUT_AXIS, cmsis_nn, cmsis_nn_plain
from deployer.kernelset.layouts.deep import deep, deep_remainders
from deployer.kernelset.layouts.depthwise import (
    depthwise,
    depthwise_wide,
    pixel_taps,
    taps_3x3,
    taps_c4,
    taps_c4_ordered,
    taps_x4,
)
from deployer.kernelset.layouts.depthwise_pairs import depthwise_pairs
from deployer.kernelset.layouts.joined import x2c4_joined, x2c4_joined_ordered
from deployer.kernelset.layouts.parameters import Parameters
from deployer.kernelset.layouts.planes import (
    lanes_of_groups,
    lanes_of_groups_remainders,
    outputs_in_lanes,
    planes,
    planes_depthwise,
    planes_remainders,
    planes_wide,
)
from deployer.kernelset.layouts.remainders import (
    piece_sections,
    x2c4_remainders,
    x2c4_remainders_ordered,
    x4c2_remainders,
    x4c4_remainders,
)
from deployer.kernelset.layouts.scatter import scatter
from deployer.kernelset.layouts.taps_c8 import taps_c8, taps_c8_floats, taps_c8_wide
from deployer.kernelset.layouts.weight_layout import WeightLayout
from deployer.kernelset.layouts.winograd import winograd
from deployer.kernelset.layouts.x1c4_taps import x1c4_taps
from deployer.kernelset.layouts.x2c4 import x2c4, x2c4_ordered, x2c4_rows, x2c4_rows_ordered
from deployer.kernelset.layouts.x2c4_parts import (
    x2c4_parts,
    x2c4_parts_ordered,
    x2c4_parts_remainders,
    x2c4_parts_remainders_ordered,
)
from deployer.kernelset.layouts.x2c4_taps import x2c4_taps_ordered, x2c4_taps_remainders_ordered
from deployer.kernelset.layouts.x4c4 import (
    x4c2_runs,
    x4c4,
    x4c4_column,
    x4c4_halves,
    x4c4_runs,
)
from deployer.kernelset.layouts.x4c4_paired import x4c4_paired
from deployer.kernelset.layouts.x4c16 import x4c16, x4c16_remainders
from deployer.kernelset.layouts.x8 import x8, x8_remainders
from deployer.kernelset.layouts.x8_floats import x8_floats, x8_floats_remainders, x16_floats
from deployer.kernelset.layouts.x8_winograd import x8_winograd
from deployer.kernelset.layouts.x8c4 import x8c4, x8c4_chunks
from deployer.kernelset.layouts.x8c16 import x8c16

LAYOUTS: Mapping[WeightLayout, Callable[[Parameters], np.ndarray]] = {
    WeightLayout.X1C4_TAPS: x1c4_taps,
    WeightLayout.X2C4: x2c4,
    WeightLayout.X2C4_ORDERED: x2c4_ordered,
    WeightLayout.X2C4_ROWS: x2c4_rows,
    WeightLayout.X2C4_ROWS_ORDERED: x2c4_rows_ordered,
    WeightLayout.X2C4_REMAINDERS: x2c4_remainders,
    WeightLayout.X2C4_REMAINDERS_ORDERED: x2c4_remainders_ordered,
    WeightLayout.X2C4_JOINED: x2c4_joined,
    WeightLayout.X2C4_JOINED_ORDERED: x2c4_joined_ordered,
    WeightLayout.X2C4_PARTS: x2c4_parts,
    WeightLayout.X2C4_PARTS_ORDERED: x2c4_parts_ordered,
    WeightLayout.X2C4_PARTS_REMAINDERS: x2c4_parts_remainders,
    WeightLayout.X2C4_PARTS_REMAINDERS_ORDERED: x2c4_parts_remainders_ordered,
    WeightLayout.X2C4_TAPS_ORDERED: x2c4_taps_ordered,
    WeightLayout.X2C4_TAPS_REMAINDERS_ORDERED: x2c4_taps_remainders_ordered,
    WeightLayout.TAPS_3X3: taps_3x3,
    WeightLayout.TAPS_C4: taps_c4,
    WeightLayout.TAPS_C4_ORDERED: taps_c4_ordered,
    WeightLayout.TAPS_X4: taps_x4,
    WeightLayout.PIXEL_TAPS: pixel_taps,
    WeightLayout.X4C4_PAIRED: x4c4_paired,
    WeightLayout.X8C4: x8c4,
    WeightLayout.X8C4_CHUNKS: x8c4_chunks,
    WeightLayout.X4C2_RUNS: x4c2_runs,
    WeightLayout.X4C2_REMAINDERS: x4c2_remainders,
    WeightLayout.X4C4: x4c4,
    WeightLayout.X4C4_HALVES: x4c4_halves,
    WeightLayout.X4C4_RUNS: x4c4_runs,
    WeightLayout.X4C4_COLUMN: x4c4_column,
    WeightLayout.X4C16: x4c16,
    WeightLayout.X4C16_REMAINDERS: x4c16_remainders,
    WeightLayout.X8C16: x8c16,
    WeightLayout.X8: x8,
    WeightLayout.X8_REMAINDERS: x8_remainders,
    WeightLayout.DEEP: deep,
    WeightLayout.DEEP_REMAINDERS: deep_remainders,
    WeightLayout.GROUPS: lanes_of_groups,
    WeightLayout.GROUPS_REMAINDERS: lanes_of_groups_remainders,
    WeightLayout.PLANES: planes,
    WeightLayout.PLANES_REMAINDERS: planes_remainders,
    WeightLayout.PLANES_WIDE: planes_wide,
    WeightLayout.OUTPUTS: outputs_in_lanes,
    WeightLayout.SCATTER: scatter,
    WeightLayout.PLANES_DEPTHWISE: planes_depthwise,
    WeightLayout.X8_WINOGRAD: x8_winograd,
    WeightLayout.X8_FLOATS: x8_floats,
    WeightLayout.X8_FLOATS_REMAINDERS: x8_floats_remainders,
    WeightLayout.X16_FLOATS: x16_floats,
    WeightLayout.TAPS_C8: taps_c8,
    WeightLayout.TAPS_C8_WIDE: taps_c8_wide,
    WeightLayout.TAPS_C8_FLOATS: taps_c8_floats,
    WeightLayout.X4C4_REMAINDERS: x4c4_remainders,
    WeightLayout.DEPTHWISE: depthwise,
    WeightLayout.DEPTHWISE_PAIRS: depthwise_pairs,
    WeightLayout.DEPTHWISE_WIDE: depthwise_wide,
    WeightLayout.WINOGRAD: winograd,
    WeightLayout.CMSIS_NN: cmsis_nn,
    WeightLayout.CMSIS_NN_PLAIN: cmsis_nn_plain,
}
# Layouts of XpulpV2, whose size no weight changes.
_SIZED_BY_SHAPE = {
    WeightLayout.X4C2_RUNS,
    WeightLayout.X4C2_REMAINDERS,
    WeightLayout.X4C4,
    WeightLayout.X4C4_HALVES,
    WeightLayout.X4C4_RUNS,
    WeightLayout.X4C4_COLUMN,
    WeightLayout.X4C4_REMAINDERS,
    WeightLayout.DEPTHWISE,
    WeightLayout.DEPTHWISE_PAIRS,
    WeightLayout.DEPTHWISE_WIDE,
}
__all__ = ["LAYOUTS", "Parameters", "WeightLayout", "packed", "packed_bytes", "piece_sections"]


def packed(layout: WeightLayout, given: Parameters) -> np.ndarray:
    """The bytes of a C array, flat."""
    return LAYOUTS[layout](given) if layout else given.weights


def packed_bytes(
    layout: WeightLayout,
    weights: np.ndarray,
    stride: tuple[int, int],
    groups: int = 1,
    dilation: tuple[int, int] = (1, 1),
) -> int:
    """What ``packed`` takes of flash for weights in the IR's order."""
    if not layout:
        return weights.nbytes
    if layout in _SIZED_BY_SHAPE:
        return _bytes_of_shape(layout, weights.shape, stride, groups, dilation)
    return _packed_bytes(layout, weights, stride, groups, dilation)


@lru_cache(maxsize=4096)
def _bytes_of_shape(
    layout: WeightLayout,
    shape: tuple[int, ...],
    stride: tuple[int, int],
    groups: int,
    dilation: tuple[int, int],
) -> int:
    """A plan asks for that of each layer often."""
    return _packed_bytes(layout, np.zeros(shape, np.int8), stride, groups, dilation)


def _packed_bytes(
    layout: WeightLayout,
    weights: np.ndarray,
    stride: tuple[int, int],
    groups: int,
    dilation: tuple[int, int],
) -> int:
    nothing = np.zeros(weights.shape[OUTPUT_AXIS[weights.ndim]], np.int32)
    given = Parameters(
        weights,
        nothing,
        nothing,
        stride,
        rule=RequantRule.Q31,
        rounding=nothing,
        shift=nothing,
        groups=groups,
        dilation=dilation,
    )
    return packed(layout, given).nbytes
