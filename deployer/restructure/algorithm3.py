"""Algorithm 3 of paper 001 (section 2.3.3): one region, around the peak, in patches.

A node's criticality is the most memory active while any tensor it reads or writes is alive. The
critical set begins with the nodes at the peak and takes in neighbours, against the edges and then
along them, whose criticality is at least alpha times the peak. Its nodes, and those scheduled
between them, become one region in ``slices`` row and column pieces; those before and behind it run
in the order of the lowest peak, since another one than the region's may be the highest now. Unlike
the paper's split and concat operators (restructure.joined), tiles are windows of the boundary
tensors.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product

from deployer.analysis import even_split, lifetimes, live_peak, live_profile, owners, step_nodes
from deployer.ir import PATCH, Graph, Node, Region, faults, is_spatial
from deployer.restructure.cost import added_macs
from deployer.schedule import reorder

ALPHAS = tuple(i / 10 for i in range(1, 10))
SLICES = tuple(product((2, 3, 4), (2, 3, 4)))


@dataclass(frozen=True, eq=False)
class Algorithm3:
    """A pass: ``alpha`` chooses the region, ``slices`` are row and column pieces; ``scratch`` is
    that of every node's kernel."""

    alpha: float = 0.5
    slices: tuple[int, int] = (2, 2)
    scratch: Mapping[str, int] | None = None

    def __call__(self, graph: Graph) -> Graph:
        """The graph itself when its critical set cannot be cut into pieces."""
        plain = replace(graph, regions=())
        region = self.region(plain)
        return order_around(plain, region, self.scratch or {}) if region else plain

    def region(self, graph: Graph) -> Region | None:
        nodes = spatial_run(graph, critical_set(graph, self.alpha))
        if not nodes:
            return None
        _, height, width, _ = graph.values[nodes[-1].output].shape
        tall, wide = min(self.slices[0], height), min(self.slices[1], width)
        if tall * wide == 1:
            return None
        region = Region(
            tuple(node.name for node in nodes),
            PATCH,
            nodes[-1].output,
            rows=even_split(height, tall) if tall > 1 else (),
            columns=even_split(width, wide) if wide > 1 else (),
        )
        return None if faults(replace(graph, regions=(region,))) else region


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
    count: Callable[[Graph], int] | None = None,
) -> Swept:
    """The setting with the least memory, then with the fewest added MACs.

    ``count``: bytes alive at most, the live peak with ``scratch`` unless given.
    """
    tried: dict[Region | None, Swept] = {}
    for alpha, cut in product(alphas, slices):
        setting = Algorithm3(alpha, cut, scratch)
        region = setting.region(replace(graph, regions=()))
        if region not in tried:
            found = setting(graph)
            size = count(found) if count else live_peak(lifetimes(found, scratch)).bytes
            tried[region] = Swept(alpha, cut, found, size)
    return min(tried.values(), key=lambda s: (s.bytes, added_macs(s.graph)))


def order_around(graph: Graph, region: Region, scratch: Mapping[str, int]) -> Graph:
    """``graph`` with the region, and the nodes on either side of it in their best order."""
    at = [i for i, node in enumerate(graph.nodes) if node.name in region.nodes]
    before, behind = graph.nodes[: at[0]], graph.nodes[at[-1] + 1 :]
    inside = graph.nodes[at[0] : at[-1] + 1]
    nodes = (*_best(graph, before, scratch), *inside, *_best(graph, behind, scratch))
    return replace(graph, nodes=nodes, regions=(region,))


def _best(graph: Graph, nodes: Sequence[Node], scratch: Mapping[str, int]) -> tuple[Node, ...]:
    """``nodes`` ordered as a network of their own, between what they read and what is read of
    them."""
    made, names = {node.output for node in nodes}, {node.name for node in nodes}
    read = (name for node in nodes for name in graph.activations(node))
    later = {n for node in graph.nodes if node.name not in names for n in node.inputs}
    part = replace(
        graph,
        nodes=tuple(nodes),
        inputs=tuple(dict.fromkeys(name for name in read if name not in made)),
        outputs=tuple(n.output for n in nodes if n.output in later or n.output in graph.outputs),
    )
    return reorder(part, scratch).nodes


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
    """The most bytes alive in the lifetimes of the tensors that each node reads or writes."""
    buffers = {buffer.id: buffer for buffer in lifetimes(graph)}
    steps, owner = step_nodes(graph), owners(graph)
    profile = live_profile(buffers.values(), len(steps))
    found = {}
    for node in steps:
        touched = [buffers[owner[name]] for name in (*graph.activations(node), node.output)]
        first, end = min(b.lower for b in touched), max(b.upper for b in touched)
        found[node.name] = max(profile[first:end])
    return found


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
