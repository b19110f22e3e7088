"""The orders in which kernels take their weights, and what lies in them beside the weights."""

from __future__ import annotations

from deployer.choices import Word
from deployer.ir import AFFINE
from deployer.kernelset.blocking.cortex_m import GEMV_CHANNELS


class WeightLayout(Word):
    """Named for what lies next to each other: ``X2C4`` is two output channels with four values
    each. ``IR`` is the IR's own order (OHWI, HWC, OI)."""

    IR = ""
    X1C4_TAPS = "x1c4_taps"
    X2C4 = "x2c4"
    X2C4_ORDERED = "x2c4_ordered"
    X2C4_ROWS = "x2c4_rows"
    X2C4_ROWS_ORDERED = "x2c4_rows_ordered"
    X2C4_REMAINDERS = "x2c4_remainders"
    X2C4_REMAINDERS_ORDERED = "x2c4_remainders_ordered"
    X2C4_JOINED = "x2c4_joined"
    X2C4_JOINED_ORDERED = "x2c4_joined_ordered"
    X2C4_PARTS = "x2c4_parts"
    X2C4_PARTS_ORDERED = "x2c4_parts_ordered"
    X2C4_PARTS_REMAINDERS = "x2c4_parts_remainders"
    X2C4_PARTS_REMAINDERS_ORDERED = "x2c4_parts_remainders_ordered"
    X2C4_TAPS_ORDERED = "x2c4_taps_ordered"
    X2C4_TAPS_REMAINDERS_ORDERED = "x2c4_taps_remainders_ordered"
    TAPS_3X3 = "taps_3x3"
    TAPS_C4 = "taps_c4"
    TAPS_C4_ORDERED = "taps_c4_ordered"
    TAPS_X4 = "taps_x4"
    PIXEL_TAPS = "pixel_taps"
    X4C4_PAIRED = "x4c4_paired"
    X8C4 = "x8c4"
    X8C4_CHUNKS = "x8c4_chunks"
    X4C2_RUNS = "x4c2_runs"
    X4C2_REMAINDERS = "x4c2_remainders"
    X4C4 = "x4c4"
    X4C4_HALVES = "x4c4_halves"
    X4C4_RUNS = "x4c4_runs"
    X4C4_COLUMN = "x4c4_column"
    X4C16 = "x4c16"
    X4C16_REMAINDERS = "x4c16_remainders"
    X8C16 = "x8c16"
    X8 = "x8"
    X8_REMAINDERS = "x8_remainders"
    DEEP = "deep"
    DEEP_REMAINDERS = "deep_remainders"
    GROUPS = "groups"
    GROUPS_REMAINDERS = "groups_remainders"
    PLANES = "planes"
    PLANES_REMAINDERS = "planes_remainders"
    PLANES_WIDE = "planes_wide"
    PLANES_DEPTHWISE = "planes_depthwise"
    OUTPUTS = "outputs"
    SCATTER = "scatter"
    X8_WINOGRAD = "x8_winograd"
    X8_FLOATS = "x8_floats"
    X8_FLOATS_REMAINDERS = "x8_floats_remainders"
    X16_FLOATS = "x16_floats"
    TAPS_C8 = "taps_c8"
    TAPS_C8_WIDE = "taps_c8_wide"
    TAPS_C8_FLOATS = "taps_c8_floats"
    X4C4_REMAINDERS = "x4c4_remainders"
    DEPTHWISE = "depthwise"
    DEPTHWISE_PAIRS = "depthwise_pairs"
    DEPTHWISE_WIDE = "depthwise_wide"
    WINOGRAD = "winograd"
    CMSIS_NN = "cmsis_nn"
    CMSIS_NN_PLAIN = "cmsis_nn_plain"

    @property
    def has_multipliers(self) -> bool:
        """Whether biases and multipliers lie among the weights: the kernel does not read the array
        of biases, nor, for the rule Q32, that of multipliers. CMSIS-NN's are not stated: of them
        an estimate counts the arrays too."""
        return self in _WITH_MULTIPLIERS

    def finishes(self, channels: int) -> bool:
        """Whether a kernel takes the multipliers of so many channels from among the weights alone,
        by the rule Q32 with the bounds of int8: it finishes whole pieces so, and what is left over
        by the array of multipliers."""
        return self in _PIECE_CHANNELS and channels % _PIECE_CHANNELS[self] == 0

    @property
    def has_floats(self) -> bool:
        """Whether it is one of floats, with their biases among the weights."""
        return self in _OF_FLOATS

    def has_all(self, rule: str) -> bool:
        """Whether biases and requantization lie among the weights: the kernel reads no other
        constants."""
        return self in _WITH_ALL_TABLES or (self in _WITH_TABLES and rule in AFFINE)


_WITH_MULTIPLIERS = {
    *(layout for layout in WeightLayout if layout.startswith("x2c4")),
    WeightLayout.X8C4,
    WeightLayout.TAPS_C4,
    WeightLayout.TAPS_C4_ORDERED,
    WeightLayout.TAPS_X4,
    WeightLayout.PIXEL_TAPS,
    WeightLayout.WINOGRAD,
}
_PIECE_CHANNELS = {
    WeightLayout.X2C4: 2,
    WeightLayout.X2C4_ORDERED: 2,
    WeightLayout.X2C4_ROWS: 2,
    WeightLayout.X2C4_ROWS_ORDERED: 2,
    WeightLayout.X2C4_REMAINDERS: 2,
    WeightLayout.X2C4_REMAINDERS_ORDERED: 2,
    WeightLayout.X2C4_JOINED: 2,
    WeightLayout.X2C4_JOINED_ORDERED: 2,
    WeightLayout.X8C4: GEMV_CHANNELS,
    WeightLayout.WINOGRAD: 2,
}
_WITH_ALL_TABLES = {
    WeightLayout.X4C16,
    WeightLayout.X4C16_REMAINDERS,
    WeightLayout.X8C16,
    WeightLayout.X8,
    WeightLayout.X8_REMAINDERS,
    WeightLayout.DEEP,
    WeightLayout.DEEP_REMAINDERS,
    WeightLayout.GROUPS,
    WeightLayout.GROUPS_REMAINDERS,
    WeightLayout.PLANES,
    WeightLayout.PLANES_REMAINDERS,
    WeightLayout.PLANES_WIDE,
    WeightLayout.PLANES_DEPTHWISE,
    WeightLayout.OUTPUTS,
    WeightLayout.X8_WINOGRAD,
    WeightLayout.TAPS_C8,
    WeightLayout.TAPS_C8_WIDE,
}
_WITH_TABLES = {
    WeightLayout.X4C2_REMAINDERS,
    WeightLayout.DEPTHWISE_WIDE,
    WeightLayout.X4C2_RUNS,
    WeightLayout.X4C4,
    WeightLayout.X4C4_HALVES,
    WeightLayout.X4C4_RUNS,
    WeightLayout.X4C4_COLUMN,
    WeightLayout.DEPTHWISE,
    WeightLayout.DEPTHWISE_PAIRS,
}
_OF_FLOATS = {
    WeightLayout.X8_FLOATS,
    WeightLayout.X8_FLOATS_REMAINDERS,
    WeightLayout.X16_FLOATS,
    WeightLayout.TAPS_C8_FLOATS,
}
