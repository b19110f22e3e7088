"""Which values are spilled, and into how many parts the layers between them are divided."""

from __future__ import annotations

from collections.abc import Iterator, Set
from dataclasses import replace
from itertools import combinations

from deployer.ir import Node
from deployer.plan.spill_inline import inlined
from deployer.plan.spill_needs import SpilledNeeds, SpillNeeds
from deployer.restructure import Spilling, has_parts, may_be_spilled

MAX_PARTS = 32  # of a layer
MAX_ENDS = 5  # of its inputs and its output that are spilled for it
NOTHING = Spilling(frozenset(), {})


def spill_choice(needs: SpillNeeds, part: int) -> Spilling | None:
    """With which every step has room; None where one cannot have it. The hungriest step comes
    first: what is idle beside it is spilled, the largest value first, then it runs in parts.
    ``part``: bytes that may be moved more for one part less."""
    state = SpilledNeeds(needs, NOTHING)
    while state.excess > 0:
        better = _without_idle(state, state.hungriest) or _divided(state, state.hungriest, part)
        if better is None:
            return None
        state = SpilledNeeds(needs, better)
    return inlined(needs, state.spilling)


def _without_idle(state: SpilledNeeds, node: Node) -> Spilling | None:
    """With the largest of the values spilled that are idle while ``node`` runs: those that read it
    before keep it, unless it is written by parts."""
    needs, found = state.needs, state.spilling
    graph, at = needs.graph, needs.index[node.name]
    idle = [name for name in state.idle(node) if may_be_spilled(graph, name)]
    if not idle:
        return None
    value = max(idle, key=needs.bytes)
    maker = graph.producer.get(value)
    whole = maker is not None and found.counts.get(maker.name, 1) == 1
    before = (each.name for each in graph.consumers[value] if needs.index[each.name] < at)
    near = {(value, name) for name in before if whole}
    others = {pair for pair in found.near if pair[0] != value}
    return replace(found, spilled=found.spilled | {value}, near=frozenset(others | near))


def _divided(state: SpilledNeeds, node: Node, part: int) -> Spilling | None:
    """With what ``node`` reads and writes spilled as far as it takes to have room for few parts:
    parts cost code, bytes time."""
    needs, found = state.needs, state.spilling
    choices = (_in_fewest(needs, found, node, ends) for ends in _ends(needs, found, node))

    def price(choice: Spilling) -> int:
        moved = sum(map(needs.bytes, choice.spilled - found.spilled))
        return 2 * moved + part * choice.counts[node.name]

    return min(filter(None, choices), key=price, default=None)


def _in_fewest(needs: SpillNeeds, found: Spilling, node: Node, ends: Set[str]) -> Spilling | None:
    """With ``ends`` spilled, near to none as what parts write is, and ``node`` in the fewest parts
    that have room."""
    near = frozenset(pair for pair in found.near if pair[0] not in {*ends, node.output})
    base = replace(found, spilled=found.spilled | ends, near=near)
    choices = (
        replace(base, counts={**base.counts, node.name: count})
        for count in _numbers(needs, found, node)
    )
    return next((one for one in choices if SpilledNeeds(needs, one).fits(node)), None)


def _numbers(needs: SpillNeeds, found: Spilling, node: Node) -> Iterator[int]:
    """Of parts, more than there are."""
    shape = needs.graph.values[node.output].shape
    least = found.counts.get(node.name, 1) + 1
    most = min(MAX_PARTS, shape[1]) if len(shape) == 4 else 0
    yield from (n for n in range(least, most + 1) if has_parts(needs.graph, node, n))


def _ends(needs: SpillNeeds, found: Spilling, node: Node) -> Iterator[set[str]]:
    """Sets of what could be spilled beside what is, of the largest where these are many."""
    graph = needs.graph
    near = {value for value, reader in found.near if reader == node.name}
    names = {*graph.activations(node), node.output} - (found.spilled - near)
    able = sorted(name for name in names if may_be_spilled(graph, name))
    ends = sorted(able, key=needs.bytes, reverse=True)[:MAX_ENDS]
    yield from (set(some) for n in range(len(ends) + 1) for some in combinations(ends, n))
