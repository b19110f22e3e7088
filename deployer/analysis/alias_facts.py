"""What a graph says of values that may share bytes: tensors, lifetimes, fixed distances."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate

from deployer.analysis.overlap import Chain
from deployer.analysis.places import Edge, Tensor, offsets
from deployer.ir import (
    INSIDE,
    OVER,
    Buffer,
    ConcatAttrs,
    Graph,
    Node,
    Share,
    SliceAttrs,
    hwc,
    scope_of,
)


@dataclass(frozen=True, eq=False)
class AliasFacts:
    """A graph on which aliases are tried. ``live``: a buffer per owner as if nothing were shared;
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
        """Edges that hold whatever is shared, by the owners they touch: aliases of whole
        activations, and chains."""
        found: dict[str, list[Edge]] = {}
        for name, owner in self.owner.items():
            if name != owner and name in self.tensors:
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
            return Edge(output.name, value.name, None, share.overlap_offset)
        if share.kind == OVER:
            alike = output.extents == value.extents and output.element == value.element
            at = (0, 0, 0) if alike and not share.overlap_offset else None
            return Edge(output.name, value.name, at, -share.overlap_offset)
        if isinstance(node.attrs, SliceAttrs):
            return Edge(output.name, value.name, offsets(node.attrs.begin))
        return Edge(value.name, output.name, _start(self.graph, node, share.value))

    def members(self, share: Share) -> tuple[str, str]:
        """The owners of the two tensors."""
        return self.owner[share.value], self.owner[self.nodes[share.node].output]

    def reached(self, owners: Iterable[str]) -> tuple[str, ...]:
        """``owners`` and what lies at fixed distances from them."""
        found = list(dict.fromkeys(owners))
        for name in found:  # grows meanwhile
            ends = (n for edge in self.fixed.get(name, ()) for n in (edge.name, edge.other))
            found += dict.fromkeys(o for n in ends if (o := self.owner[n]) not in found)
        return tuple(found)

    @cached_property
    def contiguous(self) -> frozenset[str]:
        """What lies without gaps: inputs and outputs of the network, what a Transpose touches."""
        moved = (node for node in self.graph.nodes if node.op == "Transpose")
        names = (n for node in moved for n in (*self.graph.activations(node), node.output))
        return frozenset((*self.graph.inputs, *self.graph.outputs, *names))


def _start(graph: Graph, node: Node, value: str) -> tuple[int, int, int]:
    """First element of a Concat's input in its output."""
    names, shape = graph.activations(node), graph.values[node.output].shape
    assert isinstance(node.attrs, ConcatAttrs)
    axis = node.attrs.axis
    ends = accumulate((graph.values[name].shape[axis] for name in names), initial=0)
    at = dict(zip(names, ends, strict=False))[value]
    return offsets(tuple(at if k == axis else 0 for k in range(len(shape))))
