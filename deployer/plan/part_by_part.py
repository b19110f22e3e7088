"""Values between a layer and the next that are too large as a whole, on boards that work in tiles:
their channels, some after the others."""

from __future__ import annotations

from collections.abc import Container, Iterator

from deployer.ir import Graph, Node
from deployer.kernelset import GROUP_CHANNELS
from deployer.plan.aliases import policies, whole_tensor_aliases
from deployer.plan.chunks import code_bytes_of
from deployer.plan.fetchable import PrefetchProblem, prefetch_problem
from deployer.plan.release import released, required_bytes
from deployer.plan.request import PlanRequest
from deployer.plan.room import fits_with_prefetch
from deployer.restructure import part_by_part, works_by_channel
from deployer.tile import divides, in_chunks

MAX_PAIRS = 8  # of layers, one after the other
PARTS = (2, 3, 4, 6, 8)


def in_channel_parts(graph: Graph, request: PlanRequest) -> Graph | None:
    """``graph`` with pairs of layers part by part until the arena has room; None where that does
    not serve. Nothing is computed twice, and no output lies over an input, which would bind the
    order of tiles."""
    if len(policies(request)) == 1:
        return None
    found, whole = graph, {node.name for node in graph.nodes}
    for _ in range(MAX_PAIRS):
        order = whole_tensor_aliases(found, request)
        if fits_with_prefetch(order, request):
            return found
        given = prefetch_problem(order, request.target, request.code_excess)
        better = _lower(found, released(given), whole) if given else None
        if better is None:
            return None
        found = better
    return None


def _lower(graph: Graph, given: PrefetchProblem, whole: Container[str]) -> Graph | None:
    """With the pair around the step that needs most in the fewest parts that fit; None where that
    pair is none, or not of layers in ``whole``."""
    peak = given.schedule.steps[int(required_bytes(given).argmax())].node
    for first, second in _pairs(graph):
        if peak in {first.name, second.name} and first.name in whole and second.name in whole:
            count = _parts(graph, given, first, second)
            parted = in_chunks(graph, {first.name: count}) if count else None
            return part_by_part(parted, second.name) if parted else None
    return None


def _pairs(graph: Graph) -> Iterator[tuple[Node, Node]]:
    """Layers that can be divided, and the next that works channel by channel and alone reads what
    they write."""
    readers: dict[str, list[Node]] = {}
    for node in graph.nodes:
        for name in graph.activations(node):
            readers.setdefault(name, []).append(node)
    for node in graph.nodes:
        after = readers.get(node.output, []) if divides(node) else []
        inner = len(after) == 1 and node.output not in graph.outputs
        if inner and works_by_channel(graph, after[0]):
            yield node, after[0]


def _parts(graph: Graph, given: PrefetchProblem, first: Node, second: Node) -> int | None:
    """The fewest that leave room for what the pair reads and writes as a whole and for a part of
    what lies between; None where no number does."""
    steps = {step.node: step.index for step in given.schedule.steps}
    source, between, end = (graph.values[v] for v in (first.inputs[0], first.output, second.output))
    needs = required_bytes(given) - between.bytes
    beside = max(needs[steps[first.name]] + end.bytes, needs[steps[second.name]] + source.bytes)
    groups = -(-between.shape[-1] // GROUP_CHANNELS)
    for count in PARTS:
        part = between.bytes * -(-groups // count) // groups
        if count <= groups and beside + part <= given.room - code_bytes_of(
            (count, count), given.code_size
        ):
            return count
    return None
