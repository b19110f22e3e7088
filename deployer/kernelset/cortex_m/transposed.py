"""Transposed convolutions as ordinary ones."""

from __future__ import annotations

from collections.abc import Iterator

from deployer.kernelset.cortex_m.convolution import one_group, several_groups
from deployer.kernelset.cortex_m.joined import is_dearer, joined_cycles, joined_scratch, joins
from deployer.kernelset.cortex_m.part_strips import part_columns
from deployer.kernelset.cortex_m.planes import BY_PLANES, remainder_scratch
from deployer.kernelset.cortex_m.planes_choice import (
    transposed_fits,
    transposed_on_columns,
    transposed_plane_cycles,
)
from deployer.kernelset.cortex_m.row_strips import RowWindow
from deployer.kernelset.cortex_m.strips import BLOCK_FILES, BLOCK_SUMS
from deployer.kernelset.kernel import Kernel, KernelCase
from deployer.kernelset.layouts import WeightLayout

_ROWS = {"s8": WeightLayout.X2C4_REMAINDERS, "s16": WeightLayout.X2C4_REMAINDERS_ORDERED}
_JOINED = {"s8": WeightLayout.X2C4_JOINED, "s16": WeightLayout.X2C4_JOINED_ORDERED}
_SHARED = {"s8": BLOCK_FILES, "s16": (BLOCK_SUMS,)}
_PARTS = {
    "s8": WeightLayout.X2C4_PARTS_REMAINDERS,
    "s16": WeightLayout.X2C4_PARTS_REMAINDERS_ORDERED,
}


def _no_gaps(case: KernelCase) -> bool:
    """Between what neighbouring inputs reach."""
    steps = zip(case.kernel, case.stride, strict=True)
    return case.dilation == (1, 1) and all(k >= s for k, s in steps)


def _one_group(case: KernelCase) -> bool:
    return one_group(case) and _no_gaps(case)


def _several_groups(case: KernelCase) -> bool:
    return several_groups(case) and _no_gaps(case)


def _row_scratch(case: KernelCase) -> int:
    """Of the largest of the convolutions it consists of; a smaller one may make longer strips, and
    so do blocks, with the weights of all remainders."""
    down, across = case.stride
    *image, channels = case.out_shape[1:]
    outputs = -(-image[0] // down), -(-image[1] // across)
    windows = [
        RowWindow(taps, 1, outputs, case.in_channels, channels) for taps in _remainders(case)
    ]
    if case.kernel == case.stride:
        pixels = case.in_shapes[0][1], case.in_shapes[0][2]
        windows.append(RowWindow((1, 1), 1, pixels, case.in_channels, channels * down * across))
    return max(window.bytes(case.element_bytes) for window in windows)


def _part_scratch(case: KernelCase) -> int:
    """Of the largest of the convolutions it consists of."""
    down, across = case.stride
    pixels = -(-case.out_shape[1] // down) * -(-case.out_shape[2] // across)
    return max(part_columns(case, y * x, pixels) for y, x in _remainders(case))


def _remainders(case: KernelCase) -> Iterator[tuple[int, int]]:
    """Rows and columns of the kernel that meet each remainder of the strides."""
    down, across = case.stride
    for y in range(down):
        for x in range(across):
            yield len(range(y, case.kernel[0], down)), len(range(x, case.kernel[1], across))


JOINED: tuple[Kernel, ...] = tuple(
    Kernel(
        f"dpl_conv_transpose2d_{act}__armv7em_joined",
        weighed=False,
        op="ConvTranspose2d",
        contiguous=True,  # pixels that lie next to each other are one
        act=act,
        when=joins,
        yields=is_dearer,
        formula=joined_cycles,
        scratch=joined_scratch,
        weight_layout=_JOINED[act],
        shared=_SHARED[act],
    )
    for act in ("s8", "s16")
)
KERNELS: tuple[Kernel, ...] = (
    *(
        Kernel(
            f"dpl_conv_transpose2d_{act}__armv7em_planes",
            weighed=False,
            op="ConvTranspose2d",
            contiguous=True,  # its planes take more bytes than a region saves
            act=act,
            when=transposed_fits,
            yields=transposed_on_columns,
            formula=transposed_plane_cycles,
            scratch=remainder_scratch,
            terms=BY_PLANES,
        )
        for act in ("s8", "s16")
    ),
    *(
        Kernel(
            f"dpl_conv_transpose2d_{act}__armv7em",
            op="ConvTranspose2d",
            act=act,
            when=_one_group,
            scratch=_row_scratch,
            weight_layout=_ROWS[act],
            shared=_SHARED[act],
        )
        for act in ("s8", "s16")
    ),
    *(
        Kernel(
            f"dpl_conv_transpose2d_{act}__armv7em_groups",
            op="ConvTranspose2d",
            act=act,
            when=_several_groups,
            scratch=_part_scratch,
            weight_layout=_PARTS[act],
            shared=_SHARED[act],
        )
        for act in ("s8", "s16")
    ),
)
