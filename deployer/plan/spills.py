"""Networks whose activations are too many for the arena's memory, on boards with a memory behind
it: some are spilled there, and layers between them run in parts of their rows."""

from __future__ import annotations

from collections.abc import Iterator

from deployer.ir import Graph, Schedule
from deployer.plan.aliases import whole_tensor_aliases
from deployer.plan.concat_parts import with_parts_in_tiles
from deployer.plan.fetchable import PrefetchProblem, fetches_weights
from deployer.plan.release import released, required_bytes
from deployer.plan.request import PlanRequest
from deployer.plan.spill_choice import spill_choice
from deployer.plan.spill_needs import SpillNeeds
from deployer.restructure import with_spills
from deployer.units import format_bytes

MAX_ROUNDS = 6  # with more and more room left to code and gaps,
LEAST_RESERVE_BYTES = 4096  # by at least so much more
SPARE_BYTES = 24 << 10  # left to gaps and to layers whose weights are divided


def in_spills(graph: Graph, request: PlanRequest) -> Graph | None:
    """``graph``, which has no regions, with values in the outer memory, and layers in parts, until
    the arena has room; None where that does not serve."""
    if not fetches_weights(request.target):
        return None
    order, best, least = whole_tensor_aliases(graph, request), None, 0
    for part in request.effort.part_bytes:
        for found, missing in _rounds(order, request, part):
            if missing + SPARE_BYTES <= 0:
                return found
            if missing <= least:
                best, least = found, missing
    return best


def _rounds(order: Schedule, request: PlanRequest, part: int) -> Iterator[tuple[Graph, int]]:
    """Graphs with more and more in the outer memory, and bytes beyond the room of each."""
    given, reserve = PrefetchProblem(order, request.target, request.code_excess), SPARE_BYTES
    for _ in range(MAX_ROUNDS):
        request.searching(f"values to spill beside {format_bytes(reserve)}")
        choice = spill_choice(SpillNeeds(given, given.room - reserve), part)
        if choice is None:
            return
        found = with_parts_in_tiles(with_spills(order.graph, choice), request)
        schedule = whole_tensor_aliases(found, request)
        missing = _missing(PrefetchProblem(schedule, request.target, request.code_excess))
        yield found, missing
        reserve += max(missing + SPARE_BYTES, LEAST_RESERVE_BYTES)


def _missing(given: PrefetchProblem) -> int:
    """Bytes beyond the room of the step that needs most."""
    return int(max(required_bytes(released(given))) - given.room)
