"""Networks whose activations are too many for the arena's memory, on boards that work in tiles."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import islice

from deployer.ir import Graph, Node
from deployer.plan.aliases import whole_tensor_aliases
from deployer.plan.fetchable import (
    PrefetchProblem,
    prefetch_problem,
)
from deployer.plan.release import chunk_code_bytes, released, required_bytes
from deployer.plan.request import PlanRequest
from deployer.plan.room import fits_with_prefetch
from deployer.restructure import Terms, choices, in_stripes, model_of, whole_cost

MAX_CASCADES = 8  # one after the other
MAX_RESTARTS = 4  # with more room left to the code of later cascades,
LEAST_RESERVE_BYTES = 1024  # by at least so much more, as less changes no choice
STRIPE_KINDS = 3  # in a cascade: the first stripe, the last, those between


@dataclass(frozen=True)
class _Aim:
    """``wide``: chains that take in most layers first; ``reserve``: bytes left to later ones."""

    wide: bool
    reserve: int


def in_cascades(graph: Graph, request: PlanRequest) -> Graph | None:
    """``graph`` with chains of layers in stripes until the arena has room; None where that does not
    serve. Weights are fetched from the memory behind it, if need be. Short chains compute less
    twice, but each adds its code."""
    for wide in (False, True):
        aim = _Aim(wide, reserve=0)
        for _ in range(MAX_RESTARTS):
            found, missing = _in_rounds(graph, request, aim)
            if found is not None:
                return found
            if not missing:
                break
            aim = replace(aim, reserve=aim.reserve + max(missing, LEAST_RESERVE_BYTES))
    return None


def _in_rounds(graph: Graph, request: PlanRequest, aim: _Aim) -> tuple[Graph | None, int]:
    """What fits; or None, and the bytes by which layers in stripes are too large."""
    found, whole = graph, {node.name for node in graph.nodes}
    for _ in range(MAX_CASCADES):
        order = whole_tensor_aliases(found, request)
        if fits_with_prefetch(order, request):
            return found, 0
        given = prefetch_problem(order, request.target, request.code_excess)
        if given is None:
            break
        layer, missing = _highest(released(given))
        request.searching(f"stripes of {layer}")
        if layer not in whole:
            return None, missing
        better = _lower(found, request, released(given), aim)
        if better is None:
            break
        found = better
    return None, 0


def _highest(given: PrefetchProblem) -> tuple[str, int]:
    """The layer that needs most, and how many bytes beyond the room."""
    beyond = (required_bytes(given) - given.room).tolist()
    return given.schedule.steps[beyond.index(max(beyond))].node, max(beyond)


def _lower(graph: Graph, request: PlanRequest, given: PrefetchProblem, aim: _Aim) -> Graph | None:
    """With the layer of most bytes in stripes: the first candidate that should fit and does, or
    the one that lowers most what is needed."""
    layer, least = _highest(given)
    best, terms = None, _terms(graph, request, given, aim)
    for stripes in islice(choices(graph, layer, terms), request.effort.cascades):
        found = in_stripes(graph, stripes)
        excess = _excess(graph, found, request)
        if excess <= -terms.kept(stripes.nodes):
            return found
        if excess < least:
            best, least = found, excess
    return best


def _terms(graph: Graph, request: PlanRequest, given: PrefetchProblem, aim: _Aim) -> Terms:
    model, steps, needs = model_of(request.board), given.schedule.steps, required_bytes(given)
    known: dict[str, float] = {}

    def cost(node: Node) -> float:
        if node.name not in known:
            known[node.name] = float(whole_cost(graph, node, model(graph, node)))
        return known[node.name]

    over = frozenset(step.node for step in steps if needs[step.index] > given.room)
    room = given.room - chunk_code_bytes(given)
    return Terms(cost, room, _beside(given), over, aim.wide, aim.reserve)


def _beside(given: PrefetchProblem) -> Callable[[Sequence[Node], int], int]:
    """Bytes of the largest weights of nodes in stripes, which are fetched for each stripe, and of
    the code that is added."""
    size = given.code_size
    weights = {name: item.bytes for item in given.fetchable for name in item.nodes}

    def beside(nodes: Sequence[Node], count: int) -> int:
        kinds = min(count, STRIPE_KINDS)
        code = (kinds - 1) * size.step + (count - kinds) * size.again
        return len(nodes) * code + max(weights.get(node.name, 0) for node in nodes)

    return beside


def _excess(before: Graph, graph: Graph, request: PlanRequest) -> int:
    """Bytes beyond the room that the layers need that ``before`` has otherwise."""
    order = whole_tensor_aliases(graph, request)
    given = released(PrefetchProblem(order, request.target, request.code_excess))
    same = set(before.nodes)
    changed = {node.name for node in graph.nodes if node not in same}
    needed: list[int] = required_bytes(given).tolist()
    return max(
        need - given.room
        for step, need in zip(given.schedule.steps, needed, strict=True)
        if step.node in changed
    )
