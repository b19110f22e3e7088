"""The order of steps and the kernel of each."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from deployer.analysis.liveness import lifetimes, step_nodes
from deployer.analysis.peak import live_peak
from deployer.ir.graph import Graph, Node
from deployer.ir.plan import Schedule, Step
from deployer.ir.verify import InvariantError
from deployer.kernelset.kernel import case_of
from deployer.kernelset.select import select
from deployer.schedule.region_scratch import region_scratch
from deployer.schedule.reorder import reorder

KernelChoice = Callable[[Sequence[str], Graph, Node], tuple[str, int]]


def kernel_of(families: Sequence[str], graph: Graph, node: Node) -> tuple[str, int]:
    """Symbol and scratch bytes of the first kernel of ``families`` that takes ``node``."""
    kernel = select(families, graph, node)
    return kernel.symbol, kernel.scratch(case_of(graph, node))


def schedule(
    graph: Graph, families: Sequence[str], *, choose: KernelChoice = kernel_of
) -> Schedule:
    """One step per node that runs code, in the graph's order or one with a lower peak.

    ``families`` are kernel sets, tried in this order. The peak counts scratch, inside a region that
    of a kernel's largest piece. The schedule's graph
    has its nodes in the order of the steps. Raises InvariantError when the graph's order is not a
    topological one.
    """
    check_order(graph)
    chosen = {node.name: choose(families, graph, node) for node in step_nodes(graph)}
    scratch = {name: size for name, (_, size) in chosen.items()}
    if not graph.regions:  # those were chosen for the order they name
        graph = reorder(graph, scratch)
    if graph.regions and any(scratch.values()):
        scratch |= region_scratch(families, graph)
    steps = [
        Step(index, node.name, chosen[node.name][0], scratch[node.name])
        for index, node in enumerate(step_nodes(graph))
    ]
    peak = live_peak(lifetimes(graph, scratch)).bytes
    return Schedule(graph, tuple(steps), peak)


def check_order(graph: Graph) -> None:
    """Raise InvariantError naming the first node that reads a value before it exists."""
    ready = {*graph.inputs, *graph.constants}
    for node in graph.nodes:
        if early := [name for name in node.inputs if name not in ready]:
            raise InvariantError(f"{node.name} runs before {', '.join(early)} exists")
        ready.update(node.outputs)
