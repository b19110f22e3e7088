"""Kernels of int16 activations and int8 weights."""

from __future__ import annotations

from deployer.kernelset.blocking.cortex_m import (
    GEMV_OVERREAD_BYTES,
    GEMV_S16_CHANNELS,
    GEMV_VALUES,
)
from deployer.kernelset.cortex_m.column_cycles import (
    gathered_cycles,
    in_rows,
    part_cycles,
    row_cycles,
    rows_are_dearer,
)
from deployer.kernelset.cortex_m.convolution import one_group, pointwise, several_groups
from deployer.kernelset.cortex_m.part_strips import by_part_strips, part_scratch
from deployer.kernelset.cortex_m.row_strips import by_copied_rows, row_scratch
from deployer.kernelset.cortex_m.strips import BLOCK_SUMS, by_strips, column_scratch
from deployer.kernelset.kernel import Kernel, KernelCase
from deployer.kernelset.layouts import WeightLayout
from deployer.kernelset.order import BY_ELEMENTS, AccessOrder


def _packed_input(case: KernelCase) -> int:
    few = case.out_channels < GEMV_S16_CHANNELS  # of which the last values alone are copied
    values = GEMV_VALUES if few else -(-case.in_channels // GEMV_VALUES) * GEMV_VALUES
    return 2 * values + GEMV_OVERREAD_BYTES


KERNELS: tuple[Kernel, ...] = (
    Kernel(
        "dpl_conv2d_s16__armv7em_1x1",
        op="Conv2d",
        act="s16",
        when=pointwise,
        scratch=column_scratch,
        weight_layout=WeightLayout.X2C4_ORDERED,
        shared=(BLOCK_SUMS,),
        order=by_strips,
    ),
    Kernel(
        "dpl_conv2d_s16__armv7em_rows",
        op="Conv2d",
        act="s16",
        when=in_rows,
        formula=row_cycles,
        yields=rows_are_dearer,
        scratch=row_scratch,
        weight_layout=WeightLayout.X2C4_ROWS_ORDERED,
        shared=(BLOCK_SUMS,),
        order=by_copied_rows,
    ),
    Kernel(
        "dpl_conv2d_s16__armv7em",
        op="Conv2d",
        formula=gathered_cycles,
        act="s16",
        when=one_group,
        scratch=column_scratch,
        weight_layout=WeightLayout.X2C4_ORDERED,
        shared=(BLOCK_SUMS,),
        order=by_strips,
    ),
    Kernel(
        "dpl_conv2d_s16__armv7em_groups",
        op="Conv2d",
        act="s16",
        when=several_groups,
        formula=part_cycles,
        scratch=part_scratch,
        weight_layout=WeightLayout.X2C4_PARTS_ORDERED,
        shared=(BLOCK_SUMS,),
        order=by_part_strips,
    ),
    Kernel(
        "dpl_fully_connected_s16__armv7em",
        op="FullyConnected",
        act="s16",
        when=lambda case: case.pairs_fit,
        scratch=_packed_input,
        weight_layout=WeightLayout.X4C4_PAIRED,
        order=AccessOrder(rows=0, buffered=True),
    ),
    Kernel("dpl_add_s16__armv7em", op="Add", act="s16", also=("Sub",), order=BY_ELEMENTS),
)
