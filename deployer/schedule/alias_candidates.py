"""What could share bytes: every node's outputs with every input, as the kernels allow."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Iterator

from deployer.analysis import AliasFacts
from deployer.ir import OVER, VIEW, ConcatAttrs, Graph, Node, Share, SliceAttrs, same_numbers

OverlapOffset = Callable[[Graph, Node, int], int | None]  # bytes, of an activation by its index
Move = tuple[Share, ...]
RUN_LENGTHS = (2, 3, 4, 6, 8, 12, 16)  # of runs of overlaps that are tried, beside the longest


def moves(
    facts: AliasFacts, offset_of: OverlapOffset, whole: Container[str] = ()
) -> tuple[Move, ...]:
    """Shares that make sense together: all views of a Concat, and each share alone. No value with
    the bytes of one in ``whole`` becomes a window of another."""
    inside = {name for region in facts.graph.regions for name in region.nodes}
    found: list[Move] = []
    for node in facts.graph.nodes:
        if node.name not in inside and node.output in facts.tensors:
            views = tuple(_views(facts, node, whole))
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


def _views(facts: AliasFacts, node: Node, whole: Container[str]) -> Iterator[Share]:
    if not isinstance(node.attrs, ConcatAttrs | SliceAttrs):
        return
    for name in _read_once(facts, node):
        window = name if isinstance(node.attrs, ConcatAttrs) else node.output
        alike = (n for n, owner in facts.owner.items() if owner == facts.owner[window])
        if same_numbers(facts.graph, node, name) and not any(n in whole for n in alike):
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
