"""What tiles are cut from: images of one column, rows in which a Transpose moves elements, and
copies of a Resize are seen as other shapes."""

from __future__ import annotations

import math
from dataclasses import replace

from deployer.ir import Graph, Node, ResizeAttrs, ResizeMode, TransposeAttrs
from deployer.kernelset.column import as_row, is_column, needs_own_order
from deployer.kernelset.kernel import Kernel, KernelCase, case_of
from deployer.kernelset.layouts import WeightLayout


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


def lies(kernel: Kernel, case: KernelCase) -> bool:
    """Whether tiles of a column are cut from it as a row, so that ``kernel`` meets neighbours: not
    where its weights would have to lie otherwise."""
    runs = kernel.weight_layout in (WeightLayout.X4C4_RUNS, WeightLayout.X4C4_REMAINDERS)
    return is_column(case) and not (runs and needs_own_order(case))
