"""The order of steps, the kernel of each, and the bytes they share."""

from __future__ import annotations

from collections.abc import Callable, Collection, Container, Iterator, Mapping, Sequence
from dataclasses import replace

from deployer.analysis import lifetimes, live_peak, step_nodes
from deployer.ir import (
    CHANNELS,
    INSIDE,
    Graph,
    InvariantError,
    Node,
    Schedule,
    Step,
    copies_nothing,
)
from deployer.kernelset import (
    Kernel,
    by_symbol,
    candidates,
    case_of,
    overlap_offset_of,
    select,
)
from deployer.schedule.alias_candidates import OverlapOffset
from deployer.schedule.region_scratch import region_scratch
from deployer.schedule.reorder import reorder
from deployer.schedule.share import with_shares

MAX_ROUNDS = 3  # of shares and orders in turn
MAX_STATES = 2_000  # looked at in each, before a beam

KernelChoice = Callable[[Sequence[str], Graph, Node], tuple[str, int]]


def kernel_of(families: Sequence[str], graph: Graph, node: Node) -> tuple[str, int]:
    """Symbol and scratch bytes of the first kernel of ``families`` that takes ``node``.

    A region works on windows; one in groups of channels cuts weights where the groups end, so they
    keep their order.
    """
    plain, windows = _needs(graph, node)
    kernel = select(families, graph, node, plain_weights=plain, windows=windows)
    return kernel.symbol, kernel.scratch(case_of(graph, node))


def able_kernels(families: Sequence[str], graph: Graph, node: Node) -> Iterator[Kernel]:
    """All that ``kernel_of`` may choose from."""
    plain, windows = _needs(graph, node)
    return candidates(families, case_of(graph, node), plain_weights=plain, windows=windows)


def _needs(graph: Graph, node: Node) -> tuple[bool, bool]:
    """Whether the kernel must take weights in the IR's order, and windows."""
    modes = {region.mode for region in graph.regions if node.name in region.nodes}
    return CHANNELS in modes, bool(modes)


def schedule(
    graph: Graph,
    families: Sequence[str],
    *,
    choose: KernelChoice = kernel_of,
    share: bool = False,
    cores: int = 1,
    offset_of: OverlapOffset | None = None,
    copying: bool = True,
) -> Schedule:
    """One step per node, in the graph's order or one with a lower peak.

    ``families`` are kernel sets, tried in this order. The peak counts scratch, inside a region that
    of a kernel's largest piece. The schedule's graph has its nodes in the order of the steps and,
    with ``share``, the shares that ``offset_of`` allows, by default kernels on ``cores`` cores;
    ``copying`` as in ``with_shares``. Raises InvariantError when the graph's order is not a
    topological one.
    """
    check_order(graph)
    chosen = {node.name: choose(families, graph, node) for node in step_nodes(graph)}
    scratch = {name: size for name, (_, size) in chosen.items()}
    graph = replace(graph, shares=()) if graph.shares else graph
    if not graph.regions:  # those were chosen for the order they name
        graph = reorder(graph, scratch)
    if graph.regions and any(scratch.values()):
        scratch |= region_scratch(families, graph)
    if share:
        kernels = {name: by_symbol(symbol) for name, (symbol, _) in chosen.items()}
        offset_of = offset_of or overlap_offset_by(kernels, cores)
        graph = _shares_and_order(graph, scratch, offset_of, whole_values(graph, kernels), copying)
    steps = _steps(graph, chosen, scratch)
    peak = live_peak(lifetimes(graph, {step.node: step.scratch for step in steps})).bytes
    return Schedule(graph, steps, peak)


def _steps(
    graph: Graph, chosen: Mapping[str, tuple[str, int]], scratch: Mapping[str, int]
) -> tuple[Step, ...]:
    nodes = step_nodes(graph)
    idle = {node.name for node in nodes if needs_no_kernel(graph, node)}
    return tuple(
        Step(index, node.name, *_work(node, chosen, scratch, idle))
        for index, node in enumerate(nodes)
    )


def _shares_and_order(
    graph: Graph,
    scratch: Mapping[str, int],
    offset_of: OverlapOffset,
    whole: Collection[str],
    copying: bool,
) -> Graph:
    """Shares for this order, an order for what shares, shares for that one, while it gains."""
    best = with_shares(graph, scratch, offset_of, whole, copying=copying)
    for _ in range(0 if graph.regions else MAX_ROUNDS):
        joined = tuple(share for share in best.shares if share.kind != INSIDE)
        other = reorder(replace(best, shares=joined), scratch, states=MAX_STATES)
        if other.nodes == best.nodes:
            break
        found = with_shares(other, scratch, offset_of, whole, copying=copying)
        if live_peak(lifetimes(found, scratch)).bytes >= live_peak(lifetimes(best, scratch)).bytes:
            break
        best = found
    return best


def needs_no_kernel(graph: Graph, node: Node) -> bool:
    """Whether nothing is left to copy, or rows come from outside or go there."""
    outside = graph.outside
    return copies_nothing(graph, node) or not outside.isdisjoint((*node.inputs, node.output))


def _work(
    node: Node,
    chosen: Mapping[str, tuple[str, int]],
    scratch: Mapping[str, int],
    idle: Container[str],
) -> tuple[str, int]:
    """A step's kernel and scratch; none where nothing is left to copy."""
    return ("", 0) if node.name in idle else (chosen[node.name][0], scratch[node.name])


def shared(graph: Graph, families: Sequence[str], *, cores: int) -> Graph:
    """``graph`` in its order with the shares that its kernels allow."""
    chosen = {node.name: kernel_of(families, graph, node) for node in step_nodes(graph)}
    kernels = {name: by_symbol(symbol) for name, (symbol, _) in chosen.items()}
    scratch = {name: size for name, (_, size) in chosen.items()}
    whole = whole_values(graph, kernels)
    return with_shares(graph, scratch, overlap_offset_by(kernels, cores), whole)


def whole_values(graph: Graph, kernels: Mapping[str, Kernel]) -> frozenset[str]:
    """What kernels that take no windows read and write; ``kernels`` by the name of the node."""
    nodes = (n for n in graph.nodes if n.name in kernels and kernels[n.name].contiguous)
    return frozenset(name for node in nodes for name in (*node.inputs, *node.outputs))


def overlap_offset_by(kernels: Mapping[str, Kernel], cores: int) -> OverlapOffset:
    """How far the kernel of a node, by its name, lets the output lie over an input."""

    def offset_of(graph: Graph, node: Node, index: int) -> int | None:
        if node.name not in kernels:
            return None
        return overlap_offset_of(kernels[node.name], case_of(graph, node), index, cores=cores)

    return offset_of


def check_order(graph: Graph) -> None:
    """Raise InvariantError naming the first node that reads a value before it exists."""
    ready = {*graph.inputs, *graph.constants}
    for node in graph.nodes:
        if early := [name for name in node.inputs if name not in ready]:
            raise InvariantError(f"{node.name} runs before {', '.join(early)} exists")
        ready.update(node.outputs)
