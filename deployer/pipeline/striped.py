"""Networks whose activations are too many for the arena's memory, on boards that work in tiles."""

from __future__ import annotations

from itertools import islice

from deployer.ir.graph import Graph, Node
from deployer.pipeline.loosened import LEAST
from deployer.pipeline.options import Job
from deployer.pipeline.scheduled import scheduled
from deployer.pipeline.streamed import fits_somehow
from deployer.pipeline.streaming import Streaming, streaming
from deployer.restructure.board_cost import model_of
from deployer.restructure.cost import whole_cost
from deployer.restructure.stripes import choices, in_stripes

ROUNDS, TRIES = 8, 4  # chains that are cut one after the other; ways tried for each


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
    that at least lowers the peak."""
    peak = max(given.alive)
    layer = given.schedule.steps[given.alive.index(peak)].node
    model = model_of(job.board)

    def cost(node: Node) -> float:
        return float(whole_cost(graph, node, model(graph, node)))

    ways = islice(choices(graph, layer, given.room - LEAST, cost), TRIES)
    tried = ((_peak(job, found), found) for found in (in_stripes(graph, way) for way in ways))
    return min(
        ((height, index, found) for index, (height, found) in enumerate(tried) if height < peak),
        default=(0, 0, None),
    )[2]


def _peak(job: Job, graph: Graph) -> int:
    return scheduled(job, graph).peak
