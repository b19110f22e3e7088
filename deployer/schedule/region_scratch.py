"""Scratch inside regions: what a kernel needs for its largest piece, not for its whole output."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from deployer.analysis import ChannelLayout, Operand, Piece, RegionLayout, layout_of
from deployer.ir import Graph, Pads
from deployer.kernelset import KernelCase, case_of, select


def region_scratch(families: Sequence[str], graph: Graph) -> dict[str, int]:
    """Scratch bytes of every node inside a region, by the kernel that is chosen for all of it.

    Those of a region in groups of channels are left out: its pieces have all rows and columns.
    """
    found: dict[str, int] = {}
    for region in graph.regions:
        layout = layout_of(graph, region)
        if isinstance(layout, ChannelLayout):
            continue
        for value, cases in _cases(layout).items():
            node = graph.producer[value]
            kernel = select(families, graph, node, windows=True)
            found[node.name] = max(kernel.scratch(case) for case in cases)
    return found


def _cases(layout: RegionLayout) -> dict[str, set[KernelCase]]:
    """Every case that a node's kernel meets, by the value it makes."""
    wholes = {node.output: case_of(layout.scope.graph, node) for node in layout.scope.nodes}
    return {
        value: {_case(layout, piece, whole) for piece in layout.unlike(value)}
        for value, whole in wholes.items()
    }


def _case(layout: RegionLayout, piece: Piece, whole: KernelCase) -> KernelCase:
    shapes = zip(layout.operands(piece), whole.in_shapes, strict=True)
    rows, columns = layout.pads(piece)
    return replace(
        whole,
        in_shapes=tuple(_shape(operand, shape[3]) for operand, shape in shapes),
        out_shape=_shape(piece, whole.out_channels),
        pads=Pads(rows.before, columns.before, rows.after, columns.after),
    )


def _shape(box: Piece | Operand, channels: int) -> tuple[int, ...]:
    tall, wide = (end - begin for begin, end in (box.rows, box.columns))
    return 1, tall, wide, channels
