"""Layers whose weights are more than L2 can take at once: several on slices of their channels.

Paper 004, section 4.2.1, "L3-tile w": a set of smaller layers that work on different channels of
the output. A Concat puts them together; where its parts lie in their places it costs nothing.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace

import numpy as np

from deployer.ir import OPS, Graph, Joined, Node, Value, joined, verify
from deployer.kernelset import GROUP_CHANNELS as GROUP

Cut = tuple[int, int]  # output channels, half-open


def divides(node: Node) -> bool:
    """Whether ``in_chunks`` can cut ``node``: all its channels read all of the input."""
    groups = getattr(node.attrs, "groups", 1)
    return OPS[node.op].partial_sums and groups == 1 and node.requant is not None


def in_chunks(graph: Graph, parts: Mapping[str, int]) -> Graph:
    """``graph`` with each node of ``parts`` as so many nodes, and a Concat of its name. Its outputs
    are the same integers. Nodes that would be left with fewer than GROUP channels each get as many
    parts as they have groups."""
    draft = _Draft(dict(graph.values), dict(graph.constants))
    for node in graph.nodes:
        count = min(parts.get(node.name, 1), -(-graph.values[node.output].shape[-1] // GROUP))
        if count > 1 and divides(node):
            _divide(draft, graph, node, count)
        else:
            draft.nodes.append(node)
    values, constants = draft.pruned(graph)
    nodes = tuple(draft.nodes)
    return verify(replace(graph, nodes=nodes, values=values, constants=constants, shares=()))


@dataclass
class _Draft:
    values: dict[str, Value]
    constants: dict[str, np.ndarray]
    nodes: list[Node] = field(default_factory=list)

    def constant(self, name: str, like: Value, array: np.ndarray) -> str:
        self.values[name] = replace(like, name=name, shape=array.shape)
        self.constants[name] = array
        return name

    def join(self, found: Joined) -> None:
        self.nodes.append(found.node)
        self.values |= found.values
        self.constants |= found.constants

    def sliced(self, graph: Graph, name: str, cut: Cut) -> str:
        """The part of a constant with an entry for each output channel, and its scales."""
        like, array = graph.values[name], graph.constants[name][slice(*cut)]
        quant = like.quant
        if quant is not None and len(quant.scale) > 1:
            like = replace(like, quant=replace(quant, scale=quant.scale[slice(*cut)]))
        return self.constant(f"{name}.{cut[0]}_{cut[1]}", like, array)

    def pruned(self, graph: Graph) -> tuple[dict[str, Value], dict[str, np.ndarray]]:
        """Without constants that no node reads any longer."""
        used = {name for node in self.nodes for name in (*node.inputs, *_tables(node))}
        gone = {name for name in graph.constants if name not in used}
        values = {name: value for name, value in self.values.items() if name not in gone}
        return values, {name: c for name, c in self.constants.items() if name not in gone}


def _tables(node: Node) -> tuple[str, ...]:
    rq = node.requant
    return (rq.multiplier, rq.rounding, rq.shift) if rq else ()


def _divide(draft: _Draft, graph: Graph, node: Node, count: int) -> None:
    value, names = graph.values[node.output], []
    for index, cut in enumerate(_cuts(value.shape[-1], count)):
        output = f"{node.output}.{index}"
        shape = (*value.shape[:-1], cut[1] - cut[0])
        draft.values[output] = replace(value, name=output, shape=shape)
        draft.nodes.append(_part(draft, graph, node, cut, (f"{node.name}.{index}", output)))
        names.append(output)
    draft.join(joined(graph, node, names, len(value.shape) - 1))


def _cuts(channels: int, count: int) -> Iterator[Cut]:
    """``count`` ranges of whole groups, as even as can be."""
    groups = -(-channels // GROUP)
    for index in range(count):
        begin, end = (groups * i // count * GROUP for i in (index, index + 1))
        yield begin, min(end, channels)


def _part(draft: _Draft, graph: Graph, node: Node, cut: Cut, names: tuple[str, str]) -> Node:
    """The channels of ``cut``; ``names`` of the node and of its output."""
    constants = [draft.sliced(graph, name, cut) for name in node.inputs[1:]]
    multiplier, rounding, shift = (draft.sliced(graph, name, cut) for name in _tables(node))
    requant = replace(node.rq, multiplier=multiplier, rounding=rounding, shift=shift)
    inputs = node.inputs[0], *constants
    return replace(
        node, name=names[0], inputs=inputs, outputs=(names[1],), requant=requant, stored=0
    )
