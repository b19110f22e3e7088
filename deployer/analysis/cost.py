"""What a network costs before any kernel is chosen: MACs, parameters, bytes of constants."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from deployer.ir import OPS, Graph, Node

_NO_PARAMETERS = {"Softmax"}  # its constant is a table


@dataclass(frozen=True)
class NodeCost:
    """``weights``, ``bias`` and ``requant`` are bytes as stored; ``parameters`` are elements.

    A constant that several nodes share is counted with the first of them.
    """

    node: str
    macs: int
    parameters: int
    weights: int
    bias: int
    requant: int

    @property
    def bytes(self) -> int:
        return self.weights + self.bias + self.requant


@dataclass(frozen=True)
class GraphCost:
    nodes: tuple[NodeCost, ...]

    @property
    def macs(self) -> int:
        return sum(node.macs for node in self.nodes)

    @property
    def parameters(self) -> int:
        return sum(node.parameters for node in self.nodes)

    @property
    def weights(self) -> int:
        """Bytes of weights and biases."""
        return sum(node.weights + node.bias for node in self.nodes)

    @property
    def requant(self) -> int:
        """Bytes of requantization constants."""
        return sum(node.requant for node in self.nodes)

    @property
    def bytes(self) -> int:
        return self.weights + self.requant


def graph_cost(graph: Graph) -> GraphCost:
    """The cost of every node, aliases included."""
    seen: set[str] = set()
    rows = []
    for node in graph.nodes:
        rows.append(_node_cost(graph, node, seen))
        seen.update(constants_of(graph, node), requant_names(node))
        seen.update(_order_of(node, name) for name in constants_of(graph, node)[:1])
    return GraphCost(tuple(rows))


def node_macs(graph: Graph, node: Node) -> int:
    """Multiply-accumulates of one inference."""
    return OPS[node.op].macs(node.attrs, graph.shapes(node.inputs))


def node_weight_bytes(graph: Graph, node: Node) -> int:
    """Bytes of weights, bias and requantization constants the node reads."""
    return _node_cost(graph, node, set()).bytes


def constants_of(graph: Graph, node: Node) -> tuple[str, ...]:
    """Weights first, then the bias; a softmax has its table."""
    return tuple(name for name in node.inputs if name in graph.constants)


def requant_names(node: Node) -> tuple[str, ...]:
    """The node's three tables: multiplier int32, rounding int32, shift uint8."""
    if node.requant is None:
        return ()
    return (node.requant.multiplier, node.requant.rounding, node.requant.shift)


def _node_cost(graph: Graph, node: Node, seen: set[str]) -> NodeCost:
    def arrays(names: tuple[str, ...]) -> list[np.ndarray]:
        return [graph.constants[name] for name in names if name not in seen]

    names = constants_of(graph, node)
    learned = () if node.op in _NO_PARAMETERS else names
    return NodeCost(
        node=node.name,
        macs=node_macs(graph, node),
        parameters=sum(array.size for array in arrays(learned)),
        weights=_stored_bytes(graph, node, names[:1], seen),
        bias=sum(array.nbytes for array in arrays(names[1:])),
        requant=sum(array.nbytes for array in arrays(requant_names(node))),
    )


def _stored_bytes(graph: Graph, node: Node, weights: tuple[str, ...], seen: set[str]) -> int:
    """Bytes of the weights, in the order that the kernel of ``node`` wants, where none before had
    them in the same."""
    fresh = [n for n in weights if (_order_of(node, n) if node.stored else n) not in seen]
    return sum(node.stored or graph.constants[name].nbytes for name in fresh)


def _order_of(node: Node, weights: str) -> str:
    """What stands for weights in the order that the kernel of ``node`` wants."""
    return f"{weights} of {node.kernel}"
