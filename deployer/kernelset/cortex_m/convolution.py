"""Convolutions on int16 columns, three at a time."""

from __future__ import annotations

from deployer.kernelset.cortex_m.column_cycles import (
    gathered_cycles,
    in_rows,
    part_cycles,
    row_cycles,
    rows_are_dearer,
)
from deployer.kernelset.cortex_m.in_place import stays_bytes
from deployer.kernelset.cortex_m.part_strips import by_part_strips, part_scratch
from deployer.kernelset.cortex_m.planes import BY_PLANES, by_plane_bands, plane_scratch
from deployer.kernelset.cortex_m.planes_choice import (
    conv_fits,
    conv_on_columns,
    conv_plane_cycles,
)
from deployer.kernelset.cortex_m.row_strips import by_copied_rows, row_scratch
from deployer.kernelset.cortex_m.strips import BLOCK_FILES, by_strips, column_scratch
from deployer.kernelset.kernel import Kernel, KernelCase
from deployer.kernelset.layouts import WeightLayout


def one_group(case: KernelCase) -> bool:
    return case.groups == 1


def several_groups(case: KernelCase) -> bool:
    channels = case.in_channels, case.out_channels
    return case.groups > 1 and not any(n % case.groups for n in channels)


def pointwise(case: KernelCase) -> bool:
    shape = case.kernel == (1, 1) and case.stride == (1, 1) and not case.pads.any
    return shape and one_group(case) and case.in_channels % 4 == 0


def _planes_yield(case: KernelCase) -> bool:
    return conv_on_columns(case) or stays_bytes(case)


def _rows_yield(case: KernelCase) -> bool:
    return rows_are_dearer(case) or stays_bytes(case)


BY_PAIRS = ("pair", "fours", "column", "element")
KERNELS: tuple[Kernel, ...] = (
    Kernel(
        "dpl_conv2d_s8__armv7em_1x1",
        op="Conv2d",
        when=pointwise,
        yields=stays_bytes,
        scratch=column_scratch,
        weight_layout=WeightLayout.X2C4,
        shared=BLOCK_FILES,
        order=by_strips,
        terms=BY_PAIRS,
    ),
    *(
        Kernel(
            f"dpl_conv2d_{act}__armv7em_planes",
            weighed=False,
            op="Conv2d",
            contiguous=True,  # its planes take more bytes than a region saves
            act=act,
            when=conv_fits,
            formula=conv_plane_cycles,
            yields=_planes_yield,
            scratch=plane_scratch,
            order=by_plane_bands,
            terms=BY_PLANES,
        )
        for act in ("s8", "s16")
    ),
    Kernel(
        "dpl_conv2d_s8__armv7em_rows",
        op="Conv2d",
        when=in_rows,
        formula=row_cycles,
        yields=_rows_yield,
        scratch=row_scratch,
        weight_layout=WeightLayout.X2C4_ROWS,
        shared=BLOCK_FILES,
        order=by_copied_rows,
        terms=(*BY_PAIRS, "stretch"),
    ),
    Kernel(
        "dpl_conv2d_s8__armv7em",
        op="Conv2d",
        formula=gathered_cycles,
        when=one_group,
        yields=stays_bytes,
        scratch=column_scratch,
        weight_layout=WeightLayout.X2C4,
        shared=BLOCK_FILES,
        order=by_strips,
        terms=(*BY_PAIRS, "gathered", "stretch", "border"),
    ),
    Kernel(
        "dpl_conv2d_s8__armv7em_groups",
        op="Conv2d",
        when=several_groups,
        formula=part_cycles,
        scratch=part_scratch,
        weight_layout=WeightLayout.X2C4_PARTS,
        shared=BLOCK_FILES,
        order=by_part_strips,
        terms=BY_PAIRS,
    ),
)
