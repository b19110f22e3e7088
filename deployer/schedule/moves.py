"""What could share bytes: every node's outputs with every input, as the kernels allow."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from deployer.analysis.sharing import Ground
from deployer.ir.attrs import ConcatAttrs, SliceAttrs
from deployer.ir.graph import Graph, Node
from deployer.ir.share import OVER, VIEW, Share, same_numbers

Lead = Callable[[Graph, Node, int], int | None]  # bytes, of an activation by its index
Move = tuple[Share, ...]


def moves(ground: Ground, lead: Lead) -> tuple[Move, ...]:
    """Shares that make sense together: all views of a Concat, and each share alone."""
    inside = {name for region in ground.graph.regions for name in region.nodes}
    found: list[Move] = []
    for node in ground.graph.nodes:
        if node.name not in inside and node.output in ground.tensors:
            views = tuple(_views(ground, node))
            found += [views] if len(views) > 1 else []
            found += [(share,) for share in (*views, *_overs(ground, node, lead))]
    return tuple(found)


def _views(ground: Ground, node: Node) -> Iterator[Share]:
    if not isinstance(node.attrs, ConcatAttrs | SliceAttrs):
        return
    for name in _read_once(ground, node):
        if same_numbers(ground.graph, node, name):
            yield Share(node.name, name, VIEW)


def _overs(ground: Ground, node: Node, lead: Lead) -> Iterator[Share]:
    """Of values that die at the node, those whose bytes the output reaches."""
    output, names = ground.tensors[node.output], ground.graph.activations(node)
    if ground.owner[node.output] != node.output:  # an alias: it has the bytes already
        return
    for name in _read_once(ground, node):
        value = ground.tensors[name]
        if value.upper != output.lower + 1:
            continue
        bytes_before = lead(ground.graph, node, names.index(name))
        if bytes_before is not None and bytes_before < output.bytes:
            yield Share(node.name, name, OVER, bytes_before)


def _read_once(ground: Ground, node: Node) -> Iterator[str]:
    names = ground.graph.activations(node)
    owners = [ground.owner[name] for name in names]
    for name, owner in zip(names, owners, strict=True):
        if name in ground.tensors and owners.count(owner) == 1:
            yield name
