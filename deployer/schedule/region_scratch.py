"""Scratch inside regions: what a kernel needs for its largest piece, not for its whole output."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from deployer.analysis import ChannelLayout, Operand, Piece, RegionLayout, layout_of
from deployer.ir import SUM, Graph, Node, Pads
from deployer.kernelset import KernelCase, case_of, select


def region_scratch(families: Sequence[str], graph: Graph) -> dict[str, int]:
    """Scratch bytes of every node inside a region, by the kernel that is chosen for all of it.

    A piece may need more than the whole would: fewer channels leave room for more of them.
    What sums up over groups of channels is left out: portable kernels compute it.
    """
    found: dict[str, int] = {}
    for region in graph.regions:
        layout = layout_of(graph, region)
        in_groups = isinstance(layout, ChannelLayout)
        cases = _group_cases(layout) if isinstance(layout, ChannelLayout) else _cases(layout)
        for value, own in cases.items():
            node = graph.producer[value]
            kernel = select(families, graph, node, plain_weights=in_groups, windows=True)
            found[node.name] = max(kernel.scratch(case) for case in own)
    return found


def _group_cases(layout: ChannelLayout) -> dict[str, set[KernelCase]]:
    """Of a region in groups of channels."""
    nodes = [node for node in layout.steps if layout.roles[node.name] != SUM]
    return {
        node.output: {_group_case(layout, node, n) for n in range(layout.groups)} for node in nodes
    }


def _group_case(layout: ChannelLayout, node: Node, group: int) -> KernelCase:
    def shape(value: str, whole: tuple[int, ...]) -> tuple[int, ...]:
        first, end = layout.span(value, group) if layout.in_groups(node, value) else (0, whole[-1])
        return (*whole[:-1], end - first)

    whole = case_of(layout.scope.graph, node)
    names = layout.scope.graph.activations(node)
    inputs = map(shape, names, whole.in_shapes)
    return replace(whole, in_shapes=tuple(inputs), out_shape=shape(node.output, whole.out_shape))


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
