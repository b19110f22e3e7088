"""Kernels that take little scratch or none, between the fast ones and the portable."""

from __future__ import annotations

from deployer.kernelset.blocking.cortex_m import (
    COLUMN_CHANNELS_S8,
    COLUMNS,
    STACK_WINDOW_BYTES,
    TAP_CHANNELS,
)
from deployer.kernelset.cortex_m.convolution import BY_PAIRS, one_group
from deployer.kernelset.cortex_m.in_place import stays_bytes
from deployer.kernelset.cortex_m.strips import (
    BLOCK_FILES,
    BOUNDS,
    ROW_BOUNDS,
    several_triples,
    triple_scratch,
)
from deployer.kernelset.kernel import Kernel, KernelCase
from deployer.kernelset.layouts import WeightLayout
from deployer.kernelset.order import BY_ROWS, AccessOrder


def _three_windows(case: KernelCase) -> int:
    """As bytes; small ones lie on the stack."""
    values = -(-case.kernel[0] * case.kernel[1] * case.in_channels // 4) * 4
    windows = COLUMNS if case.out_shape[1] * case.out_shape[2] > 1 else 1
    return 0 if values <= STACK_WINDOW_BYTES else windows * values


def _short_of_strip(case: KernelCase) -> bool:
    return _in_fours(case) and several_triples(case)


def _in_fours(case: KernelCase) -> bool:
    return one_group(case) and case.in_channels % COLUMN_CHANNELS_S8 == 0


def _not_in_fours(case: KernelCase) -> bool:
    return one_group(case) and not _in_fours(case)


def _in_place(case: KernelCase) -> AccessOrder:
    """Every pair of channels reads the windows of three pixels again; where sides cut windows,
    threes begin at other columns than the first."""
    point = case.kernel == (1, 1) and not case.pads.any
    return AccessOrder(columns=COLUMNS) if point else BY_ROWS


def _fours(case: KernelCase) -> bool:
    return case.multiplier == 1 and case.in_channels % TAP_CHANNELS == 0


KERNELS: tuple[Kernel, ...] = (
    Kernel(
        "dpl_conv2d_s8__armv7em_triple",
        op="Conv2d",
        when=_short_of_strip,
        yields=stays_bytes,
        scratch=triple_scratch,
        weight_layout=WeightLayout.X2C4,
        shared=BLOCK_FILES,
        order=AccessOrder(run=COLUMNS, buffered=True),
        terms=(*BY_PAIRS, "gathered", "stretch", "border"),
    ),
    Kernel(
        "dpl_conv2d_s8__armv7em_bytes",
        op="Conv2d",
        when=_not_in_fours,
        formula_decides=True,
        scratch=_three_windows,
        weight_layout=WeightLayout.X2C4,
        shared=(BOUNDS,),
        order=AccessOrder(run=COLUMNS, buffered=True),
        terms=("pair", "fours", "column", "stretch", "border"),
    ),
    Kernel(
        "dpl_conv2d_s8__armv7em_direct",
        op="Conv2d",
        when=_in_fours,
        formula_decides=True,
        weight_layout=WeightLayout.X2C4,
        shared=(BOUNDS,),
        order=_in_place,
        pass_pixels=COLUMNS,
        terms=("pair", "fours"),
    ),
    Kernel(
        "dpl_depthwise_conv2d_s8__armv7em_direct",
        op="DepthwiseConv2d",
        when=_fours,
        order=BY_ROWS,
        shared=ROW_BOUNDS["s8"],
    ),
)
