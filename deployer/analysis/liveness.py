"""When each activation holds bytes: alias classes, lifetimes in steps, and places in buffers."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace

from deployer.analysis.alias_facts import AliasFacts
from deployer.analysis.layout import layout_of
from deployer.analysis.overlap import chains
from deployer.analysis.places import Misplaced, Place, is_contiguous
from deployer.analysis.regions import RegionLayout
from deployer.analysis.sharing import Cluster, clusters
from deployer.ir import OPS, Buffer, Graph, InvariantError, Node

_SUM_BYTES = 4


def step_nodes(graph: Graph) -> tuple[Node, ...]:
    """The nodes that run code, in order; step i is the i-th of them."""
    return tuple(node for node in graph.nodes if not OPS[node.op].alias)


def owners(graph: Graph) -> dict[str, str]:
    """Every activation to the one whose bytes it shares: itself, unless an alias made it."""
    owner = {name: name for name in graph.inputs}
    for node in graph.nodes:
        for name in node.outputs:
            source = node.inputs[0]
            owner[name] = owner.get(source, source) if OPS[node.op].alias else name
    return owner


def scratch_id(node: str) -> str:
    """The buffer that holds the scratch of ``node``'s kernel."""
    return f"{node}.scratch"


def sums_id(value: str) -> str:
    """The buffer of the int32 sums that become ``value``."""
    return f"{value}.sums"


def lifetimes(graph: Graph, scratch: Mapping[str, int] | None = None) -> tuple[Buffer, ...]:
    """One buffer per alias class, then one per node with ``scratch`` bytes; half-open lifetimes.

    A value lives from the step that writes it until after the last step that reads it. Inputs are
    written before step 0, all of them, so they meet there. Outputs live to the end, since the host
    reads them after the last step. A value nobody reads still needs bytes while it is written.

    What a region reads or writes as a whole lives through all of it. Its interior values have the
    size of their tile or ring; tiles live as the nodes say, the same for every piece, rings through
    all of the region. Values that overlap are one buffer, named after the first of them; so are
    those that share bytes otherwise. Raises InvariantError when shares contradict one another.

    A region that sums up its last output does so in all of its steps, and turns the sums into it in
    its last: tiles and inputs live until before that one, the output from it on.
    """
    facts = alias_facts_of(graph)
    live, shared = dict(facts.live), _clusters(facts)
    for chain in facts.chains:
        if not any(chain.buffer in cluster.spots for cluster in shared):
            merged = chain.merged(live)
            _replace(live, chain.offsets, merged)
    for cluster in shared:
        owners = [name for name in cluster.spots if name in live]
        _replace(live, owners, cluster.buffer)
    return (*live.values(), *_scratch_buffers(graph, scratch or {}))


def places(graph: Graph) -> dict[str, Place]:
    """Where every whole activation lies; values interior to a region have their layout's slots."""
    facts = alias_facts_of(graph)
    found = {n: Place(owner) for n, owner in facts.owner.items() if owner in facts.live}
    for chain in facts.chains:
        moved = {name: Place(chain.buffer, at) for name, at in chain.offsets.items()}
        found |= {n: moved[o] for n, o in facts.owner.items() if o in moved}
    for cluster in _clusters(facts):
        for name, spot in cluster.spots.items():
            contiguous = is_contiguous(facts.tensors[name].extents, spot.pitches)
            found[name] = Place(
                cluster.buffer.id, spot.offset, None if contiguous else spot.pitches
            )
    return {name: place for name, place in found.items() if name not in graph.by_rows}


def held(graph: Graph, step: int) -> dict[str, str]:
    """Per buffer that values share, those alive in it at ``step``: ``conv_0 + input``."""
    facts = alias_facts_of(graph)
    found = {}
    for cluster in _clusters(facts):
        inside = (name for name in cluster.spots if name in facts.live)
        alive = [n for n in inside if facts.live[n].lower <= step < facts.live[n].upper]
        found[cluster.buffer.id] = " + ".join(alive) or cluster.buffer.id
    return found


def _replace(live: dict[str, Buffer], names: Iterable[str], merged: Buffer) -> None:
    for name in list(names):
        del live[name]
    live[merged.id] = merged


def _clusters(facts: AliasFacts) -> tuple[Cluster, ...]:
    try:
        return tuple(clusters(facts, facts.graph.shares))
    except Misplaced as error:
        raise InvariantError(f"shares: {error}") from None


def alias_facts_of(graph: Graph) -> AliasFacts:
    """``graph`` with a buffer per owner, as if nothing were shared, and what regions overlap."""
    owner = owners(graph)
    live = {
        name: Buffer(name, born, dies, graph.values[name].bytes)
        for name, (born, dies) in _spans(graph, owner).items()
        if name not in graph.constants and name not in graph.outside
    }
    layouts = [layout_of(graph, region) for region in graph.regions]
    step = {node.name: index for index, node in enumerate(step_nodes(graph))}
    ends = [step[region.nodes[-1]] + 1 for region in graph.regions]
    for layout, end in zip(layouts, ends, strict=True):
        _enter(layout, owner, live, end)
    return AliasFacts(graph, owner, live, tuple(chains(layouts, owner, live, ends)))


def _enter(
    layout: RegionLayout, owner: Mapping[str, str], live: dict[str, Buffer], end: int
) -> None:
    """Whole values live through the region that ends before step ``end``; pieces replace others."""
    scope, summed = layout.scope, layout.summed
    first, until = end - sum(not OPS[node.op].alias for node in scope.nodes), end - bool(summed)
    parts = {name: live.pop(name) for name in scope.interior if name in live}
    for name in scope.inputs:
        buffer = live[owner[name]]
        live[buffer.id] = replace(buffer, upper=max(buffer.upper, until))
    for name in scope.outputs:
        if name != summed:
            live[name] = replace(live[name], lower=first)
    if summed:
        size = live[summed].size // scope.graph.values[summed].dtype.bytes * _SUM_BYTES
        live[sums_id(summed)] = Buffer(sums_id(summed), first, end, size)
    for name, stored in layout.stored.items():
        members = [
            parts[n] for n, slot in layout.slots.items() if slot.owner == name and n in parts
        ]
        lower = min((b.lower for b in members), default=first)
        upper = min(until, max((b.upper for b in members), default=end))
        span = (first, end) if layout.line_buffered else (lower, upper)
        live[name] = Buffer(name, *span, stored.bytes)


def _spans(graph: Graph, owner: Mapping[str, str]) -> dict[str, tuple[int, int]]:
    """First step and step after the last of every owner."""
    steps = step_nodes(graph)
    born = dict.fromkeys(owner.values(), 0)
    dies = dict.fromkeys(owner.values(), 1)
    for index, node in enumerate(steps):
        for name in node.outputs:
            born[name], dies[name] = index, index + 1
        for name in graph.activations(node):
            dies[owner[name]] = index + 1
    for name in graph.outputs:
        if name in owner:
            dies[owner[name]] = max(1, len(steps))
    return {name: (born[name], dies[name]) for name in born}


def _scratch_buffers(graph: Graph, scratch: Mapping[str, int]) -> Iterator[Buffer]:
    for index, node in enumerate(step_nodes(graph)):
        if size := scratch.get(node.name, 0):
            yield Buffer(scratch_id(node.name), index, index + 1, size)
