"""What tiles are cut from. Images of one column, whose rows follow one another as columns of an
image of one row do, rows in which a Transpose moves elements are seen as other shapes, and copies
of a Resize as outputs of a window."""

from __future__ import annotations

import math
from dataclasses import replace

from deployer.ir import Graph, Node, Pads, ResizeAttrs, ResizeMode, TransposeAttrs
from deployer.kernelset.kernel import Kernel, KernelCase, case_of
from deployer.kernelset.layouts import WeightLayout


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


def lies(kernel: Kernel, case: KernelCase) -> bool:
    """Whether tiles of a column are cut from it as a row, so that ``kernel`` meets neighbours: not
    where its weights would have to lie otherwise."""
    runs = kernel.weight_layout in (WeightLayout.X4C4_RUNS, WeightLayout.X4C4_REMAINDERS)
    return is_column(case) and not (runs and needs_own_order(case))


def needs_own_order(case: KernelCase) -> bool:
    """Whether the rows of a convolution's window fill no words, but are one run in a row."""
    one = case.groups == 1 and case.dilation[0] == 1 < case.kernel[0]
    return one and case.in_channels % 4 != 0


def keeps_rows(node: Node) -> bool:
    """Whether it is a Transpose within each row, the axis behind that of the batch."""
    return isinstance(node.attrs, TransposeAttrs) and node.attrs.perm[:2] == (0, 1)


def magnifies(node: Node) -> bool:
    """Whether it is a nearest Resize whose inputs have as many outputs each."""
    attrs = node.attrs
    nearest = isinstance(attrs, ResizeAttrs) and attrs.mode == ResizeMode.NEAREST
    return nearest and attrs.start == (0, 0)


def tiled_case(graph: Graph, node: Node, kernel: Kernel) -> KernelCase:
    """What tiles of ``node`` are cut from."""
    case = case_of(graph, node)
    if keeps_rows(node):
        batch, rows, *inside = case.out_shape
        run = batch, rows, 1, math.prod(inside)
        return replace(case, in_shapes=(run,), out_shape=run)
    if magnifies(node):  # as many outputs reach from each input as of a transposed convolution
        return replace(case, kernel=node.attrs.factors, stride=node.attrs.factors)
    return as_row(case) if lies(kernel, case) else case


def _lying(shape: tuple[int, ...]) -> tuple[int, ...]:
    batch, height, width, channels = shape
    return batch, width, height, channels
