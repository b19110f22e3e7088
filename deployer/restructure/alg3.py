"""Algorithm 3 of paper 001 (section 2.3.3): one region, around the peak, in patches.

A node's criticality is the memory active while it runs. The critical set begins with the nodes at
the peak and takes in neighbours, against the edges and then along them, whose criticality is at
least alpha times the peak. Its nodes, and those scheduled between them, become one region in
``slices`` row and column pieces. Unlike the paper's split and concat operators, tiles are windows
of the boundary tensors.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from itertools import product

from deployer.analysis.liveness import lifetimes, step_nodes
from deployer.analysis.peak import live_peak
from deployer.analysis.regions import even_split
from deployer.ir.graph import Graph, Node
from deployer.ir.region import PATCH, Region, faults, is_spatial
from deployer.restructure.cost import added_macs

ALPHAS = tuple(i / 10 for i in range(1, 10))
SLICES = tuple(product((2, 3, 4), (2, 3, 4)))


@dataclass(frozen=True, eq=False)
class Algorithm3:
    """A pass: ``alpha`` chooses the region, ``slices`` are row and column pieces."""

    alpha: float = 0.5
    slices: tuple[int, int] = (2, 2)

    def __call__(self, graph: Graph) -> Graph:
        """The graph itself when its critical set cannot be cut into pieces."""
        plain = replace(graph, regions=())
        nodes = spatial_run(plain, critical_set(plain, self.alpha))
        if not nodes:
            return plain
        _, height, width, _ = graph.values[nodes[-1].output].shape
        tall, wide = min(self.slices[0], height), min(self.slices[1], width)
        if tall * wide == 1:
            return plain
        region = Region(
            tuple(node.name for node in nodes),
            PATCH,
            nodes[-1].output,
            rows=even_split(height, tall) if tall > 1 else (),
            columns=even_split(width, wide) if wide > 1 else (),
        )
        found = replace(plain, regions=(region,))
        return plain if faults(found) else found


@dataclass(frozen=True, eq=False)
class Swept:
    """The best of a sweep: its parameters, its graph and bytes alive together at most."""

    alpha: float
    slices: tuple[int, int]
    graph: Graph
    bytes: int


def sweep(
    graph: Graph,
    *,
    alphas: Iterable[float] = ALPHAS,
    slices: Iterable[tuple[int, int]] = ((2, 2),),
    scratch: Mapping[str, int] | None = None,
) -> Swept:
    """The setting with the least memory, then with the fewest added MACs."""
    tried: dict[tuple[Region, ...], Swept] = {}
    for alpha, cut in product(alphas, slices):
        found = Algorithm3(alpha, cut)(graph)
        if found.regions not in tried:
            peak = live_peak(lifetimes(found, scratch)).bytes
            tried[found.regions] = Swept(alpha, cut, found, peak)
    return min(tried.values(), key=lambda s: (s.bytes, added_macs(s.graph)))


def critical_set(graph: Graph, alpha: float) -> set[str]:
    """Names of the critical nodes (lines 5 to 24)."""
    critical = criticality(graph)
    peak = max(critical.values(), default=0)
    chosen = {name for name, size in critical.items() if size == peak}
    near = {node.name: node for node in step_nodes(graph)}
    for neighbours in (_fanin, _fanout):
        frontier = list(chosen)
        while frontier:
            for node in neighbours(graph, near[frontier.pop()]):
                if node.name in chosen or critical.get(node.name, 0) < alpha * peak:
                    continue
                chosen.add(node.name)
                frontier.append(node.name)
    return chosen


def criticality(graph: Graph) -> dict[str, int]:
    """Bytes alive while each node runs."""
    buffers = lifetimes(graph)
    return {
        node.name: sum(b.size for b in buffers if b.lower <= step < b.upper)
        for step, node in enumerate(step_nodes(graph))
    }


def spatial_run(graph: Graph, critical: set[str]) -> tuple[Node, ...]:
    """Consecutive nodes from the first to the last critical one, as far as they are spatial; the
    last of them has a reader outside."""
    places = [i for i, node in enumerate(graph.nodes) if node.name in critical]
    spatial = [i for i in places if is_spatial(graph, graph.nodes[i])]
    if not spatial:
        return ()
    end = spatial[0]
    while end <= places[-1] and is_spatial(graph, graph.nodes[end]):
        end += 1
    return graph.nodes[spatial[0] : end]


def _fanin(graph: Graph, node: Node) -> list[Node]:
    return [graph.producer[name] for name in node.inputs if name in graph.producer]


def _fanout(graph: Graph, node: Node) -> list[Node]:
    return list(graph.consumers.get(node.output, ()))
