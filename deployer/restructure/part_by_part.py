"""A layer that works channel by channel, on each part of its input as soon as that is there.

Where a layer is divided into parts on slices of its output channels (deployer/tile/chunks.py), the
next one that needs no more than its own channels need not wait for all of them: of what lies
between the two no more than a part ever exists, and nothing is computed twice.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from deployer.ir import OPS, ConcatAttrs, Graph, InvariantError, Node, Value, joined, verify

_CHANNELS = -1  # axis of an activation and of the weights of a depthwise layer


def works_by_channel(graph: Graph, node: Node) -> bool:
    """Whether each channel of the output of ``node`` needs the same one of its input alone."""
    if OPS[node.op].activations != 1 or len(graph.values[node.output].shape) != 4:
        return False
    same = (
        graph.values[node.inputs[0]].shape[_CHANNELS] == graph.values[node.output].shape[_CHANNELS]
    )
    return same and (node.op == "DepthwiseConv2d" or node.op in {"AveragePool", "MaxPool"})


def part_by_part(graph: Graph, name: str) -> Graph:
    """``graph`` with the node ``name``, which works by channel and reads a Concat of channels that
    no other node reads, as one node on each of the parts of that. The integers are the same."""
    node = next(node for node in graph.nodes if node.name == name)
    concat = next(each for each in graph.nodes if node.inputs[0] in each.outputs)
    if not isinstance(concat.attrs, ConcatAttrs) or not works_by_channel(graph, node):
        raise InvariantError(f"{name} does not read parts of channels")
    draft = _Draft(dict(graph.values), dict(graph.constants))
    parts = dict(draft.parts(graph, node, concat.inputs))
    for each in graph.nodes:
        if each.name == concat.name:
            continue
        if each.name == name:
            draft.join(graph, node, [part.output for part in parts.values()])
            continue
        draft.nodes.append(each)
        draft.nodes += [parts[output] for output in each.outputs if output in parts]
    return verify(draft.graph(graph, concat.output))


@dataclass
class _Draft:
    values: dict[str, Value]
    constants: dict[str, np.ndarray]
    nodes: list[Node] = field(default_factory=list)

    def parts(self, graph: Graph, node: Node, inputs: Sequence[str]) -> Iterator[tuple[str, Node]]:
        """By the part of the input that it reads."""
        whole, begin = graph.values[node.output], 0
        for index, source in enumerate(inputs):
            end = begin + graph.values[source].shape[_CHANNELS]
            output = f"{node.output}.{index}"
            shape = (*whole.shape[:_CHANNELS], end - begin)
            self.values[output] = replace(whole, name=output, shape=shape)
            yield source, self._part(graph, node, (begin, end), (source, index, output))
            begin = end

    def _part(
        self, graph: Graph, node: Node, cut: tuple[int, int], names: tuple[str, int, str]
    ) -> Node:
        source, index, output = names
        constants = [self._sliced(graph, name, cut) for name in node.inputs[1:]]
        requant = node.requant
        if (
            requant is not None and constants
        ):  # those of a pool have an entry for each number of taps
            tables = (requant.multiplier, requant.rounding, requant.shift)
            multiplier, rounding, shift = (self._sliced(graph, each, cut) for each in tables)
            requant = replace(requant, multiplier=multiplier, rounding=rounding, shift=shift)
        return replace(
            node,
            name=f"{node.name}.{index}",
            inputs=(source, *constants),
            outputs=(output,),
            requant=requant,
            stored=0,
        )

    def _sliced(self, graph: Graph, name: str, cut: tuple[int, int]) -> str:
        """The part of a constant with an entry for each channel, and its scales."""
        like, array = graph.values[name], graph.constants[name][..., slice(*cut)]
        quant = like.quant
        if quant is not None and len(quant.scale) > 1:
            like = replace(like, quant=replace(quant, scale=quant.scale[slice(*cut)]))
        found = f"{name}.{cut[0]}_{cut[1]}"
        self.values[found] = replace(like, name=found, shape=array.shape)
        self.constants[found] = np.ascontiguousarray(array)
        return found

    def join(self, graph: Graph, node: Node, outputs: Sequence[str]) -> None:
        axis = len(graph.values[node.output].shape) - 1
        found = joined(graph, node, outputs, axis)
        self.nodes.append(found.node)
        self.values |= found.values
        self.constants |= found.constants

    def graph(self, before: Graph, gone: str) -> Graph:
        """Without the value ``gone`` and the constants that no node reads any longer."""
        used = {name for node in self.nodes for name in (*node.inputs, *_tables(node))}
        unread = {name for name in self.constants if name not in used} | {gone}
        values = {name: value for name, value in self.values.items() if name not in unread}
        constants = {name: c for name, c in self.constants.items() if name not in unread}
        return replace(
            before, nodes=tuple(self.nodes), values=values, constants=constants, shares=()
        )


def _tables(node: Node) -> tuple[str, ...]:
    found = node.requant
    return (found.multiplier, found.rounding, found.shift) if found else ()
