"""What could share bytes: every node's outputs with every input, as the kernels allow."""

from __future__ import annotations

from collections.abc import Callable, Collection, Container, Iterable, Iterator

from deployer.analysis import AliasFacts
from deployer.ir import OVER, VIEW, ConcatAttrs, Graph, Node, Share, SliceAttrs, same_numbers

OverlapOffset = Callable[[Graph, Node, int], int | None]  # bytes, of an activation by its index
Move = tuple[Share, ...]
ALIGN_BYTES = 4  # of what kernels that take no windows read
RUN_LENGTHS = (2, 3, 4, 6, 8, 12, 16)  # of runs of overlaps that are tried, beside the longest


def moves(
    facts: AliasFacts, offset_of: OverlapOffset, whole: Collection[str] = ()
) -> tuple[Move, ...]:
    """Shares that make sense together: all views of a Concat, and each share alone. No value with
    the bytes of one in ``whole``, or that comes from outside or goes there, becomes a window of
    another, but for rows that follow one another."""
    inside = {name for region in facts.graph.regions for name in region.nodes}
    found: list[Move] = []
    kept = in_one_piece(facts.graph, whole)
    for node in facts.graph.nodes:
        if node.name not in inside and node.output in facts.tensors:
            views = tuple(_views(facts, node, kept))
            found += [views] if len(views) > 1 else []
            found += [(share,) for share in (*views, *_overs(facts, node, offset_of))]
    return tuple(found)


def runs(facts: AliasFacts, singles: Iterable[Move]) -> Iterator[Move]:
    """Overlaps of ``singles`` one after the other: where steps of one height follow, one alone
    raises the next."""
    overs = [share for (share, *_) in singles if share.kind == OVER]
    following = {facts.members(share)[0]: share for share in reversed(overs)}
    for share in overs:
        run = [share]
        while (after := following.get(facts.members(run[-1])[1])) is not None:
            run.append(after)
        lengths = (n for n in RUN_LENGTHS if n < len(run))
        yield from (tuple(run[:n]) for n in (*lengths, len(run)) if n > 1)


def in_one_piece(graph: Graph, whole: Iterable[str]) -> frozenset[str]:
    """``whole``, what comes from outside of the arena or goes there, and what these lie in as rows
    that follow one another."""
    outside = graph.outside
    found = {*whole, *outside}
    for node in graph.nodes:
        if not outside.isdisjoint((*node.inputs, node.output)):
            found |= {*node.inputs, node.output}
    while more := frozenset(_around(graph, found)) - found:
        found |= more
    return frozenset(found)


def _around(graph: Graph, moved: Container[str]) -> Iterator[str]:
    """What values in ``moved`` are windows of, rows as a whole."""
    for node in graph.nodes:
        if not _of_whole_rows(graph, node):
            continue
        concat = isinstance(node.attrs, ConcatAttrs)
        parts, window = (node.inputs, node.output) if concat else (node.outputs, node.inputs[0])
        if any(part in moved for part in parts):
            yield window


def _of_whole_rows(graph: Graph, node: Node) -> bool:
    """Whether what a Concat or Slice could leave in place is rows of an image as a whole, of whole
    words."""
    attrs, value = node.attrs, graph.values[node.inputs[0]]
    batch, *axes = value.shape
    if len(axes) != 3 or batch > 1 or value.bytes // axes[0] % ALIGN_BYTES:
        return False
    if isinstance(attrs, ConcatAttrs):
        return attrs.axis == 1
    if not isinstance(attrs, SliceAttrs):
        return False
    return attrs.begin[2:] == (0, 0) and attrs.end[2:] == value.shape[2:]


def _views(facts: AliasFacts, node: Node, whole: Container[str]) -> Iterator[Share]:
    if not isinstance(node.attrs, ConcatAttrs | SliceAttrs):
        return
    for name in _read_once(facts, node):
        window = name if isinstance(node.attrs, ConcatAttrs) else node.output
        alike = (n for n, owner in facts.owner.items() if owner == facts.owner[window])
        free = _of_whole_rows(facts.graph, node) or not any(n in whole for n in alike)
        if free and same_numbers(facts.graph, node, name):
            yield Share(node.name, name, VIEW)


def _overs(facts: AliasFacts, node: Node, offset_of: OverlapOffset) -> Iterator[Share]:
    """Of values that die at the node, those whose bytes the output reaches."""
    output, names = facts.tensors[node.output], facts.graph.activations(node)
    if facts.owner[node.output] != node.output:  # an alias: it has the bytes already
        return
    for name in _read_once(facts, node):
        value = facts.tensors[name]
        if value.upper != output.lower + 1:
            continue
        bytes_before = offset_of(facts.graph, node, names.index(name))
        if bytes_before is not None and bytes_before < output.bytes:
            yield Share(node.name, name, OVER, bytes_before)


def _read_once(facts: AliasFacts, node: Node) -> Iterator[str]:
    names = facts.graph.activations(node)
    owners = [facts.owner[name] for name in names]
    for name, owner in zip(names, owners, strict=True):
        if name in facts.tensors and owners.count(owner) == 1:
            yield name
