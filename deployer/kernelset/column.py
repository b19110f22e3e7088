"""Images of one column, whose rows follow one another as columns of an image of one row do."""

from __future__ import annotations

from dataclasses import replace

from deployer.ir import Pads
from deployer.kernelset.kernel import KernelCase


def is_column(case: KernelCase) -> bool:
    """Whether input and output are images of one column, several rows of which a window meets or
    not, but never a side."""
    shapes = (*case.in_shapes, case.out_shape)
    narrow = all(len(shape) == 4 and shape[2] == 1 for shape in shapes)
    return narrow and case.kernel[1] == 1 and (case.pads.left, case.pads.right) == (0, 0)


def as_row(case: KernelCase) -> KernelCase:
    """The same call on images of one row: the same bytes, and blocks of neighbours in it."""
    pads = case.pads
    return replace(
        case,
        in_shapes=tuple(map(_lying, case.in_shapes)),
        out_shape=_lying(case.out_shape),
        kernel=case.kernel[::-1],
        stride=case.stride[::-1],
        dilation=case.dilation[::-1],
        pads=Pads(pads.left, pads.top, pads.right, pads.bottom),
    )


def needs_own_order(case: KernelCase) -> bool:
    """Whether the rows of a convolution's window fill no words, but are one run in a row."""
    one = case.groups == 1 and case.dilation[0] == 1 < case.kernel[0]
    return one and case.in_channels % 4 != 0


def _lying(shape: tuple[int, ...]) -> tuple[int, ...]:
    batch, height, width, channels = shape
    return batch, width, height, channels
