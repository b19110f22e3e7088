"""Networks whose activations are too many for the arena's memory, on boards that work in tiles."""

from __future__ import annotations

from itertools import islice

from deployer.ir.graph import Graph, Node
from deployer.pipeline.loosened import LEAST, needed
from deployer.pipeline.options import Job
from deployer.pipeline.scheduled import scheduled
from deployer.pipeline.streamed import fits_somehow
from deployer.pipeline.streaming import Streaming, streaming
from deployer.restructure.board_cost import model_of
from deployer.restructure.cost import whole_cost
from deployer.restructure.stripes import choices, in_stripes

ROUNDS, TRIES = 8, 6  # chains that are cut one after the other; ways tried for each


def striped(job: Job, graph: Graph) -> Graph | None:
    """``graph`` with chains of layers in stripes until the arena has room; None where that does not
    serve. Weights are fetched from the memory behind it, if need be."""
    found = graph
    for _ in range(ROUNDS):
        order = scheduled(job, found)
        if fits_somehow(job, order):
            return found
        given = streaming(order, job.target, job.code_excess)
        better = _lower(job, found, given) if given else None
        if better is None:
            return None
        found = better
    return None


def _lower(job: Job, graph: Graph, given: Streaming) -> Graph | None:
    """With the layer of most bytes in stripes: of the ways that should fit the one that does, or
    that at least lowers what is needed."""
    needs = needed(given).tolist()
    peak = max(needs)
    layer = given.schedule.steps[needs.index(peak)].node
    model = model_of(job.board)

    def cost(node: Node) -> float:
        return float(whole_cost(graph, node, model(graph, node)))

    ways = islice(choices(graph, layer, given.room - LEAST, cost), TRIES)
    tried = ((_height(job, graph, found), found) for found in (in_stripes(graph, w) for w in ways))
    return min(
        ((height, index, found) for index, (height, found) in enumerate(tried) if height < peak),
        default=(0, 0, None),
    )[2]


def _height(job: Job, before: Graph, graph: Graph) -> int:
    """Bytes needed by the layers that ``before`` has otherwise."""
    given = Streaming(scheduled(job, graph), job.target)
    same = set(before.nodes)
    changed = {node.name for node in graph.nodes if node not in same}
    steps = given.schedule.steps
    return max(
        need
        for step, need in zip(steps, needed(given).tolist(), strict=True)
        if step.node in changed
    )
