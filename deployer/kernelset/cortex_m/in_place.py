"""Where a few windows of bytes take fewer cycles as they are than widened to columns or copies."""

from __future__ import annotations

import math
from functools import lru_cache

from deployer.kernelset.blocking.cortex_m import COLUMN_CHANNELS_S8, COLUMNS
from deployer.kernelset.cortex_m.column_cycles import column_cycles
from deployer.kernelset.cortex_m.direct import MAX_BYTES, conv
from deployer.kernelset.cortex_m.planes import planes_of
from deployer.kernelset.kernel import KernelCase

_FEW_PIXELS = 4  # more of them share what columns and copies cost
_GAIN = 0.97  # of the others' cycles at most, since all are estimates
# Estimated cycles, fitted to 33 layers of one, two and four pixels (15 %, rms, where they lie, 4 %
# gathered): of a pair of output channels a value of one window, which is read where it lies, and
# of three, which are gathered; what stands beside these; a kernel row more; a pixel, its gathered
# value and row; a call; a byte of weights.
_VALUE, _PAIR, _PAIR_ROW, _PIXEL, _CALL = 2.25, 125.0, 250.0, 250.0, 100.0
_THREE_VALUES, _THREE_PAIR, _GATHERED_PIXEL, _GATHERED, _GATHERED_ROW = 4.5, 60.0, 200.0, 0.9, 70.0
_WEIGHT = 0.37


def direct_cycles(case: KernelCase) -> float:
    """Of windows read where they lie (dpl/cortex_m/byte_rows.h), by ones and in whole words, or by
    threes where a row has as many."""
    _, height, width, _ = case.out_shape
    rows, pairs, values = case.kernel[0], _pairs(case), _values(case)
    windows = height * (width if width < COLUMNS else -(-width // COLUMNS))
    each = _VALUE if width < COLUMNS else _THREE_VALUES
    pair = each * values + _PAIR + (rows - 1) * _PAIR_ROW
    return windows * (_PIXEL + pairs * pair) + 2 * pairs * values * _WEIGHT + _CALL


def gathered_byte_cycles(case: KernelCase) -> float:
    """Of windows gathered as bytes, three at a time (dpl/cortex_m/byte_windows.h)."""
    pixels, pairs, values = math.prod(case.out_shape[1:3]), _pairs(case), _values(case)
    padded = -(-values // 4) * 4
    pixel = _GATHERED_PIXEL + _GATHERED * values + case.kernel[0] * _GATHERED_ROW
    triple = pairs * (_THREE_VALUES * padded + _THREE_PAIR)
    return pixels * pixel + -(-pixels // COLUMNS) * triple + 2 * pairs * padded * _WEIGHT


@lru_cache(maxsize=1024)
def stays_bytes(case: KernelCase) -> bool:
    """Whether a convolution of int8 of one group and few pixels takes fewer cycles so than on
    columns or on copied windows."""
    if (case.act, case.groups) != ("s8", 1) or math.prod(case.out_shape[1:3]) > _FEW_PIXELS:
        return False
    fours = case.in_channels % COLUMN_CHANNELS_S8 == 0
    own = direct_cycles(case) if fours else gathered_byte_cycles(case)
    others = column_cycles(case, (planes_of(case),))
    windows = conv(case)
    if windows.bytes <= MAX_BYTES:
        others = min(others, windows.cycles)
    return own < _GAIN * others


def _values(case: KernelCase) -> int:
    return math.prod(case.kernel) * case.in_channels


def _pairs(case: KernelCase) -> int:
    return (case.out_channels + 1) // 2
