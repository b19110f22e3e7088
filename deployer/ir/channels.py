"""Runs of nodes computed for one group of channels after another: what each node does with it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise

from deployer.ir.graph import Graph, Node
from deployer.ir.ops import OPS
from deployer.ir.region import Region
from deployer.ir.scope import Scope

# From whole inputs, some channels of the output; from a group's channels, the same channels;
# from a group's channels, one summand of all outputs; the same bytes under another shape.
MAKE, KEEP, SUM, ALIAS = "make", "keep", "sum", "alias"


def role(scope: Scope, node: Node) -> str | None:
    """What ``node`` does in a region of groups of channels, None if it cannot be in one.

    Every value made in the region is there a group at a time, but the output of a SUM.
    """
    if node.output not in scope.readers and node.output not in scope.outputs:
        return None
    if node.op == "Reshape":
        return ALIAS if _flattens(scope, node) else None
    spec = OPS[node.op]
    if spec.partial_sums:
        if getattr(node.attrs, "groups", 1) != 1:
            return None
        return SUM if node.inputs[0] in scope.writer else MAKE
    return KEEP if spec.channelwise and _keeps(scope, node) else None


def root_of(scope: Scope, value: str) -> str:
    """The value of the region, or its input, whose bytes ``value`` is."""
    while value in scope.writer and (node := scope.nodes[scope.writer[value]]).op == "Reshape":
        value = node.inputs[0]
    return value


def channels_of(graph: Graph, value: str) -> int:
    return graph.values[value].shape[-1]


def unit(scope: Scope) -> int:
    """Channels that the region's split points divide: those of its narrowest value in groups."""
    made = (node.output for node in scope.nodes if role(scope, node) in (MAKE, KEEP))
    return min((channels_of(scope.graph, name) for name in made), default=0)


def grouped(scope: Scope) -> tuple[str, ...]:
    """Every value that is written or read a group at a time."""
    found: list[str] = []
    for node in scope.nodes:
        does = role(scope, node)
        found += [node.output] if does in (MAKE, KEEP) else []
        found += scope.graph.activations(node) if does == KEEP else []
    return tuple(dict.fromkeys(found))


def channel_faults(scope: Scope) -> Iterator[str]:
    """What is wrong with a region of groups of channels, a line each."""
    region, roles = scope.region, [role(scope, node) for node in scope.nodes]
    for node, does in zip(scope.nodes, roles, strict=True):
        if does is None:
            yield f"{node.name} cannot be computed by channels"
    yield from _unused_faults(region)
    if None in roles:
        return
    if SUM in roles[:-1]:
        yield "sums over the channels end it"
    if roles[0] == ALIAS or roles[-1] == ALIAS:
        yield "it begins or ends with a reshape"
    if not {MAKE, KEEP} & set(roles):
        yield "no value is there in groups of channels"
    elif region.grid != scope.nodes[-1].output:
        yield f"the grid {region.grid} is not what its last node writes"
    else:
        yield from _point_faults(scope, region.channels)


def _point_faults(scope: Scope, points: Sequence[int]) -> Iterator[str]:
    whole = unit(scope)
    rising = all(a < b for a, b in pairwise(points))
    if not rising or len(points) < 3 or (points[0], points[-1]) != (0, whole):
        yield f"groups {points} do not cover 0 to {whole} once"
        return
    for name in grouped(scope):
        if any(point * channels_of(scope.graph, name) % whole for point in points):
            yield f"groups {points} of {whole} split a channel of {name}"


def _unused_faults(region: Region) -> Iterator[str]:
    if region.rows or region.columns or region.over or region.fetch or region.reverse:
        yield "groups of channels have whole rows and columns, and overlap nothing"


def _flattens(scope: Scope, node: Node) -> bool:
    """A reshape to rank 2 of what the region makes, read in the region alone."""
    rank = len(scope.graph.values[node.output].shape)
    return node.inputs[0] in scope.writer and rank == 2 and node.output not in scope.outputs


def _keeps(scope: Scope, node: Node) -> bool:
    """Whether output channel c needs the inputs' channel c, or c / multiplier, alone."""
    values = scope.graph.values
    names = scope.graph.activations(node)
    if any(_is_flat(scope, name) for name in names):
        return False
    counts = {values[name].shape[-1] for name in names}
    return OPS[node.op].linear or counts == {channels_of(scope.graph, node.output)}


def _is_flat(scope: Scope, value: str) -> bool:
    """Whether several pixels of a group lie one after the other in ``value``'s channels."""
    channels = channels_of(scope.graph, root_of(scope, value))
    return channels != channels_of(scope.graph, value)
