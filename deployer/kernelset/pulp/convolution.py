"""Convolutions: four pixels by four channels, sixteen sums in registers."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from deployer.ir import AFFINE
from deployer.kernelset.blocking.pulp import CALL_ROOM_BYTES
from deployer.kernelset.blocking.pulp import CLUSTER_CORES as CORES
from deployer.kernelset.blocking.pulp import GROUP_CHANNELS as GROUP
from deployer.kernelset.column import as_row, is_column, needs_own_order
from deployer.kernelset.kernel import Kernel, KernelCase
from deployer.kernelset.layouts import WeightLayout
from deployer.kernelset.order import AccessOrder
from deployer.kernelset.pulp.cycles import convolution_cycles
from deployer.kernelset.pulp.interior_cycles import HIGH_RULES
from deployer.kernelset.pulp.windows import (
    copied,
    covered_bytes,
    cut_by_sides,
    in_columns,
    runs_of,
    strip_bytes,
    table_runs,
    words,
)

_POINTER_BYTES = 4
Taken = TypeVar("Taken")
INTERIOR = (
    "four_by_four_point.S",
    "four_by_four_rows.S",
    "four_by_four_three.S",
    "four_by_some.S",
    "window_columns.S",
)
FOUR_BY_FOUR = (*INTERIOR, "four_by_four_sums.S", "window_strip.S")


def _windows(case: KernelCase) -> int:
    """Zero points for padding, and for each core where the kernel rows and the runs of four windows
    begin, a strip of what four windows cover or copies of them."""
    height, runs = case.kernel[0], runs_of(case).count
    pointers = max(2 * height + 1 + GROUP * (table_runs(case) + 1), (GROUP + 1) * (runs + 1))
    zeros = covered_bytes(case) if case.pads.any else 0
    zeros += CORES * CALL_ROOM_BYTES if case.groups > 1 else 0
    return zeros + CORES * (pointers * _POINTER_BYTES + height * strip_bytes(case) + _copies(case))


def _copies(case: KernelCase) -> int:
    """Bytes of four columns, each of whole words; so is a row of those that are no ``copied``."""
    if not in_columns(case):
        return 0
    (height, width), channels = case.kernel, case.in_channels
    rows, row = (1, height * width) if copied(case) else (height, width)
    return GROUP * rows * words(row * channels)


def _takes_column(case: KernelCase) -> bool:
    return is_column(case) and needs_own_order(case)


def _lying(take: Callable[[KernelCase], Taken]) -> Callable[[KernelCase], Taken]:
    """``take`` of a column as a row; tiles are rows already."""
    return lambda case: take(as_row(case) if is_column(case) else case)


def _is_interior(case: KernelCase) -> bool:
    """Whether all tiles are: of rules that the assembler knows; rows of theirs may be too short for
    four windows that are copied."""
    return case.rule in (*AFFINE, *HIGH_RULES) and not copied(case) and not is_column(case)


def _takes_blocks(case: KernelCase) -> bool:
    """Of whole blocks and words."""
    whole = case.out_shape[2] % GROUP == case.out_channels // case.groups % GROUP == 0
    return whole and case.rule in AFFINE and runs_of(case).bytes > GROUP


def _in_tiles(variant: str, when: Callable[[KernelCase], bool], *, blocked: bool) -> Kernel:
    """One of tiles alone; where it writes no transposed blocks, only nodes that name it have it."""
    return Kernel(
        f"dpl_conv2d_s8__xpulpv2_{variant}",
        op="Conv2d",
        when=when,
        scratch=_windows,
        weight_layout=WeightLayout.X4C4_RUNS,
        assembly=INTERIOR,
        shared=("conv2d_s8_interior__xpulpv2.c",),
        cycles=convolution_cycles,
        border_padding=cut_by_sides,
        contiguous=True,
        blocked_output=blocked,
        opt_in=not blocked,
        in_tiles=True,
    )


KERNELS: tuple[Kernel, ...] = (
    Kernel(
        "dpl_conv2d_s8__xpulpv2_column",
        op="Conv2d",
        when=_takes_column,
        scratch=_lying(_windows),
        weight_layout=WeightLayout.X4C4_COLUMN,
        order=AccessOrder(run=GROUP),
        contiguous=True,
        assembly=FOUR_BY_FOUR,
        shared=("conv2d_s8_interior__xpulpv2.c", "conv2d_s8__xpulpv2.c"),
        cycles=_lying(convolution_cycles),
        border_padding=_lying(cut_by_sides),
    ),
    Kernel(
        "dpl_conv2d_s8__xpulpv2",
        op="Conv2d",
        scratch=_windows,
        weight_layout=WeightLayout.X4C4_RUNS,
        order=AccessOrder(run=GROUP),
        assembly=FOUR_BY_FOUR,
        shared=("conv2d_s8_interior__xpulpv2.c",),
        cycles=convolution_cycles,
        border_padding=cut_by_sides,
    ),
    _in_tiles("blocked", _takes_blocks, blocked=True),
    _in_tiles("interior", _is_interior, blocked=False),
)
