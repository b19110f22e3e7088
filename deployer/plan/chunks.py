"""Into how many parts layers are divided whose weights are fetched."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from deployer.board import CodeSize
from deployer.plan.fetchable import PrefetchProblem
from deployer.tile import choose, divides, outer_of

RESIDENT_CHUNKS = (2, 3, 4, 5, 6, 8, 12)  # parts of a layer's weights that are to fit at once


def chunk_counts(given: PrefetchProblem) -> list[dict[str, int]]:
    """Into how many parts each layer is divided: candidates of ``_counts``, those of fewest
    estimated cycles first. More parts are prefetched earlier, and cost a step each."""
    candidates = [_counts(given, share) for share in RESIDENT_CHUNKS]
    return sorted(candidates, key=lambda one: (_total(given, one), sum(one.values())))


def _counts(given: PrefetchProblem, share: int) -> dict[str, int]:
    """As many parts as let ``share`` of them lie beside the step's activations; two, the current
    weights and the next, are paper 004's Eq. 5."""
    found, nodes = {}, {node.name: node for node in given.schedule.graph.nodes}
    for item in given.fetchable:
        limit = max(given.room - given.alive[item.step], 0) // share
        node, *others = item.nodes
        if item.bytes > limit > 0 and not others and divides(nodes[node]):
            found[node] = -(-item.bytes // limit)
    return found


def code_bytes_of(counts: Iterable[int], size: CodeSize) -> int:
    """Bytes that parts add to the code, for the number of each layer: they are of two sizes."""
    return sum(size.step + (count - 2) * size.again + size.alias for count in counts)


def _total(given: PrefetchProblem, counts: Mapping[str, int]) -> float:
    outer, steps = outer_of(given.board), {step.node: step.index for step in given.schedule.steps}
    assert outer is not None
    parts = {steps[name]: count for name, count in counts.items()}
    traffic = given.traffic.divided(parts, outer[1], given.part_cycles)
    code = code_bytes_of(counts.values(), given.code_size)
    choice = choose(traffic, given.room - code)
    return sum(traffic.cycles) + choice.stalled if choice else float("inf")
