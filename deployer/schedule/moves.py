"""What could share bytes: every node's outputs with every input, as the kernels allow."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Iterator

from deployer.analysis.sharing import Ground
from deployer.ir.attrs import ConcatAttrs, SliceAttrs
from deployer.ir.graph import Graph, Node
from deployer.ir.share import OVER, VIEW, Share, same_numbers

Lead = Callable[[Graph, Node, int], int | None]  # bytes, of an activation by its index
Move = tuple[Share, ...]
LENGTHS = (2, 3, 4, 6, 8, 12, 16)  # of runs of overlaps that are tried, beside the longest


def moves(ground: Ground, lead: Lead, whole: Container[str] = ()) -> tuple[Move, ...]:
    """Shares that make sense together: all views of a Concat, and each share alone. No value with
    the bytes of one in ``whole`` becomes a window of another."""
    inside = {name for region in ground.graph.regions for name in region.nodes}
    found: list[Move] = []
    for node in ground.graph.nodes:
        if node.name not in inside and node.output in ground.tensors:
            views = tuple(_views(ground, node, whole))
            found += [views] if len(views) > 1 else []
            found += [(share,) for share in (*views, *_overs(ground, node, lead))]
    return tuple(found)


def runs(ground: Ground, singles: Iterable[Move]) -> Iterator[Move]:
    """Overlaps of ``singles`` one after the other: where steps of one height follow, one alone
    raises the next."""
    overs = [share for (share, *_) in singles if share.kind == OVER]
    following = {ground.members(share)[0]: share for share in reversed(overs)}
    for share in overs:
        run = [share]
        while (after := following.get(ground.members(run[-1])[1])) is not None:
            run.append(after)
        lengths = (n for n in LENGTHS if n < len(run))
        yield from (tuple(run[:n]) for n in (*lengths, len(run)) if n > 1)


def _views(ground: Ground, node: Node, whole: Container[str]) -> Iterator[Share]:
    if not isinstance(node.attrs, ConcatAttrs | SliceAttrs):
        return
    for name in _read_once(ground, node):
        window = name if isinstance(node.attrs, ConcatAttrs) else node.output
        alike = (n for n, owner in ground.owner.items() if owner == ground.owner[window])
        if same_numbers(ground.graph, node, name) and not any(n in whole for n in alike):
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
