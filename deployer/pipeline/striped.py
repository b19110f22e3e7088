"""Networks whose activations are too many for the arena's memory, on boards that work in tiles."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import islice

from deployer.ir.graph import Graph, Node
from deployer.pipeline.loosened import code_of_parts, eased, needed
from deployer.pipeline.options import Job
from deployer.pipeline.scheduled import loosely
from deployer.pipeline.somehow import fits_somehow
from deployer.pipeline.streaming import CODE_A_STEP, CODE_AGAIN, Streaming, streaming
from deployer.restructure.board_cost import model_of
from deployer.restructure.cost import whole_cost
from deployer.restructure.stripes import Terms, choices, in_stripes

ROUNDS, TRIES = 8, 6  # chains that are cut one after the other; ways tried for each
AGAIN = 4  # times all is begun anew, with more room left to the code of later chains,
LEAST = 1024  # and by how many bytes more, as less changes no choice
KINDS = 3  # of stripes in a chain: the first, the last, those between


@dataclass(frozen=True)
class _Aim:
    """``wide``: chains that take in most layers first; ``reserve``: bytes left to later ones."""

    wide: bool
    reserve: int


def striped(job: Job, graph: Graph) -> Graph | None:
    """``graph`` with chains of layers in stripes until the arena has room; None where that does not
    serve. Weights are fetched from the memory behind it, if need be. Short chains compute less
    twice, but each adds its code."""
    for wide in (False, True):
        aim = _Aim(wide, reserve=0)
        for _ in range(AGAIN):
            found, missing = _in_rounds(job, graph, aim)
            if found is not None:
                return found
            if not missing:
                break
            aim = replace(aim, reserve=aim.reserve + max(missing, LEAST))
    return None


def _in_rounds(job: Job, graph: Graph, aim: _Aim) -> tuple[Graph | None, int]:
    """What fits; or None, and the bytes by which layers in stripes are too large."""
    found, whole = graph, {node.name for node in graph.nodes}
    for _ in range(ROUNDS):
        order = loosely(job, found)
        if fits_somehow(job, order):
            return found, 0
        given = streaming(order, job.target, job.code_excess)
        if given is None:
            break
        layer, missing = _highest(eased(given))
        if layer not in whole:
            return None, missing
        better = _lower(job, found, eased(given), aim)
        if better is None:
            break
        found = better
    return None, 0


def _highest(given: Streaming) -> tuple[str, int]:
    """The layer that needs most, and how many bytes beyond the room."""
    beyond = (needed(given) - given.room).tolist()
    return given.schedule.steps[beyond.index(max(beyond))].node, max(beyond)


def _lower(job: Job, graph: Graph, given: Streaming, aim: _Aim) -> Graph | None:
    """With the layer of most bytes in stripes: the first of the ways that should fit that does, or
    the one that lowers most what is needed."""
    layer, least = _highest(given)
    best, terms = None, _terms(job, graph, given, aim)
    for way in islice(choices(graph, layer, terms), TRIES):
        found = in_stripes(graph, way)
        excess = _excess(job, graph, found)
        if excess <= -terms.kept(way.nodes):
            return found
        if excess < least:
            best, least = found, excess
    return best


def _terms(job: Job, graph: Graph, given: Streaming, aim: _Aim) -> Terms:
    model, steps, needs = model_of(job.board), given.schedule.steps, needed(given)
    known: dict[str, float] = {}

    def cost(node: Node) -> float:
        if node.name not in known:
            known[node.name] = float(whole_cost(graph, node, model(graph, node)))
        return known[node.name]

    over = frozenset(step.node for step in steps if needs[step.index] > given.room)
    room = given.room - code_of_parts(given)
    return Terms(cost, room, _beside(given), over, aim.wide, aim.reserve)


def _beside(given: Streaming) -> Callable[[Sequence[Node], int], int]:
    """Bytes of the weights of nodes in stripes, all of which stay until the last stripe, and of the
    code that is added."""
    weights = {name: item.bytes for item in given.streamable for name in item.nodes}

    def beside(nodes: Sequence[Node], count: int) -> int:
        kinds = min(count, KINDS)
        code = (kinds - 1) * CODE_A_STEP + (count - kinds) * CODE_AGAIN
        return len(nodes) * code + sum(weights.get(node.name, 0) for node in nodes)

    return beside


def _excess(job: Job, before: Graph, graph: Graph) -> int:
    """Bytes beyond the room that the layers need that ``before`` has otherwise."""
    given = eased(Streaming(loosely(job, graph), job.target, job.code_excess))
    same = set(before.nodes)
    changed = {node.name for node in graph.nodes if node not in same}
    steps = given.schedule.steps
    return max(
        need - given.room
        for step, need in zip(steps, needed(given).tolist(), strict=True)
        if step.node in changed
    )
