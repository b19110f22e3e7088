"""Clusters: tensors that share bytes outside of regions, at fixed distances in one buffer."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import accumulate

from deployer.analysis.clash import Claims
from deployer.analysis.overlap import Chain
from deployer.analysis.places import (
    Edge,
    Misplaced,
    Spot,
    Tensor,
    arranged,
    is_dense,
    offsets,
    pieces_of,
)
from deployer.ir.attrs import ConcatAttrs, SliceAttrs
from deployer.ir.graph import Graph, Node
from deployer.ir.plan import Buffer
from deployer.ir.region import scope_of
from deployer.ir.share import INSIDE, OVER, Share
from deployer.ir.types import hwc


@dataclass(frozen=True, eq=False)
class Cluster:
    """One buffer for the tensors of ``spots``, from the birth of the first to the death of the
    last. ``shares`` are those that hold it together."""

    shares: tuple[Share, ...]
    spots: Mapping[str, Spot]
    buffer: Buffer

    def with_inside(self, other: Cluster, share: Share, offset: int) -> Cluster:
        """With ``other`` at ``offset``, where nothing is in its way; ``share`` says so."""
        moved = {n: replace(spot, offset=spot.offset + offset) for n, spot in other.spots.items()}
        first = min(self.buffer, other.buffer, key=lambda b: (b.lower, b.id))
        upper = max(self.buffer.upper, other.buffer.upper)
        merged = Buffer(first.id, first.lower, upper, self.buffer.size)
        return Cluster((*self.shares, *other.shares, share), {**self.spots, **moved}, merged)


@dataclass(frozen=True, eq=False)
class Ground:
    """A graph on which shares are tried. ``live``: a buffer per owner as if nothing were shared;
    ``chains``: what regions overlap already."""

    graph: Graph
    owner: Mapping[str, str]
    live: Mapping[str, Buffer]
    chains: Sequence[Chain]

    @cached_property
    def tensors(self) -> Mapping[str, Tensor]:
        """Every whole activation; aliases live as what they alias."""
        regions, found = self.graph.regions, {}
        scopes = (scope_of(self.graph, region) for region in regions)
        pieces = {name for scope in scopes for name in (*scope.interior, *scope.region.fetch)}
        for name, owner in self.owner.items():
            if owner in self.live and owner not in pieces:
                value, buffer = self.graph.values[name], self.live[owner]
                extents = hwc(value.shape)
                found[name] = Tensor(name, extents, value.dtype.bytes, buffer.lower, buffer.upper)
        return found

    @cached_property
    def nodes(self) -> Mapping[str, Node]:
        return {node.name: node for node in self.graph.nodes}

    @cached_property
    def fixed(self) -> Mapping[str, tuple[Edge, ...]]:
        """Edges that hold whatever is shared, by the owners they touch: aliases and chains."""
        found: dict[str, list[Edge]] = {}
        for name, owner in self.owner.items():
            if name != owner and owner in self.live:
                found.setdefault(owner, []).append(self._alias(name, owner))
        for chain in self.chains:
            first, start = next(iter(chain.offsets.items()))
            for name, offset in chain.offsets.items():
                edge = Edge(name, first, None, offset - start)
                for member in chain.offsets if name != first else ():
                    found.setdefault(member, []).append(edge)
        return {name: tuple(edges) for name, edges in found.items()}

    def _alias(self, name: str, owner: str) -> Edge:
        same = self.tensors[name].extents == self.tensors[owner].extents
        return Edge(name, owner, (0, 0, 0) if same else None)

    def edge(self, share: Share) -> Edge:
        node = self.nodes[share.node]
        output, value = self.tensors[node.output], self.tensors[share.value]
        if share.kind == INSIDE:
            return Edge(output.name, value.name, None, share.lead)
        if share.kind == OVER:
            alike = output.extents == value.extents and output.element == value.element
            at = (0, 0, 0) if alike and not share.lead else None
            return Edge(output.name, value.name, at, -share.lead)
        if isinstance(node.attrs, SliceAttrs):
            return Edge(output.name, value.name, offsets(node.attrs.begin))
        return Edge(value.name, output.name, _start(self.graph, node, share.value))

    def members(self, share: Share) -> tuple[str, str]:
        """The owners of the two tensors."""
        return self.owner[share.value], self.owner[self.nodes[share.node].output]

    def cluster(self, shares: Iterable[Share]) -> Cluster:
        """The buffer that ``shares``, all connected, make. Raises Misplaced when they cannot all
        be, or when two values that are needed at once would claim the same bytes."""
        shares = tuple(shares)
        missing = [n for s in shares for n in self.members(s) if n not in self.tensors]
        if missing:
            raise Misplaced(f"{missing[0]} is no whole tensor")
        owners = self.reached(name for share in shares for name in self.members(share))
        fixed = (edge for name in owners for edge in self.fixed.get(name, ()))
        edges = dict.fromkeys((*map(self.edge, shares), *fixed))
        spots = arranged(edges, self.tensors)
        self._check_forms(spots)
        Claims(self, shares, spots, self.chains).check(owners)
        return Cluster(shares, spots, self._buffer(spots, owners))

    def alone(self, owner: str) -> Cluster:
        """A value with its aliases."""
        edges = self.fixed.get(owner, ())
        spots = (
            arranged(edges, self.tensors)
            if edges
            else {owner: Spot(0, self.tensors[owner].pitches, owner, (0, 0, 0))}
        )
        return Cluster((), spots, self.live[owner])

    def reached(self, owners: Iterable[str]) -> tuple[str, ...]:
        """``owners`` and what lies at fixed distances from them."""
        found = list(dict.fromkeys(owners))
        for name in found:  # grows meanwhile
            ends = (n for edge in self.fixed.get(name, ()) for n in (edge.name, edge.other))
            found += dict.fromkeys(o for n in ends if (o := self.owner[n]) not in found)
        return tuple(found)

    def _buffer(self, spots: Mapping[str, Spot], owners: Iterable[str]) -> Buffer:
        names = sorted(owners, key=lambda n: (self.live[n].lower, n))
        ends = [spots[n].offset + span(self.tensors[n], spots[n]) for n in names]
        upper = max(self.live[n].upper for n in names)
        return Buffer(names[0], self.live[names[0]].lower, upper, max(ends))

    def _check_forms(self, spots: Mapping[str, Spot]) -> None:
        for name, spot in spots.items():
            tensor = self.tensors[name]
            if spot.offset % tensor.element:
                raise Misplaced(f"{name} is not aligned")
            if is_dense(tensor.extents, spot.pitches):
                continue
            if name in self._dense:
                raise Misplaced(f"{name} must be dense")
            if pieces_of(tensor.extents, spot.pitches, tensor.element) is None:
                raise Misplaced(f"{name} is no row of runs")

    @cached_property
    def _dense(self) -> frozenset[str]:
        """Inputs and outputs of the network, and what a Transpose touches."""
        moved = (node for node in self.graph.nodes if node.op == "Transpose")
        names = (n for node in moved for n in (*self.graph.activations(node), node.output))
        return frozenset((*self.graph.inputs, *self.graph.outputs, *names))


def span(tensor: Tensor, spot: Spot) -> int:
    """Bytes from the first element to the end of the last."""
    (height, width, channels), (rows, pixels) = tensor.extents, spot.pitches
    return ((height - 1) * rows + (width - 1) * pixels + channels) * tensor.element


def clusters(ground: Ground, shares: Sequence[Share]) -> Iterator[Cluster]:
    """``shares`` as buffers, each as large as what is connected."""
    groups: list[tuple[set[str], list[Share]]] = []
    for share in shares:
        touched = set(ground.reached(ground.members(share)))
        joined = [group for group in groups if group[0] & touched]
        groups = [group for group in groups if not group[0] & touched]
        names = touched.union(*(group[0] for group in joined))
        groups.append((names, [*(s for group in joined for s in group[1]), share]))
    yield from (ground.cluster(members) for _, members in groups)


def _start(graph: Graph, node: Node, value: str) -> tuple[int, int, int]:
    """First element of a Concat's input in its output."""
    names, shape = graph.activations(node), graph.values[node.output].shape
    assert isinstance(node.attrs, ConcatAttrs)
    axis = node.attrs.axis
    ends = accumulate((graph.values[name].shape[axis] for name in names), initial=0)
    at = dict(zip(names, ends, strict=False))[value]
    return offsets(tuple(at if k == axis else 0 for k in range(len(shape))))
