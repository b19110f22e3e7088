"""What a graph with kernels and regions costs on a board: estimated cycles, and those of fetching
weights through the cache."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

from deployer.analysis import lines_missed, passes
from deployer.board import Board
from deployer.ir import Graph, Node
from deployer.kernelset import Kernel, by_symbol, case_of, select
from deployer.plan.kernels import stored_bytes
from deployer.restructure import Coefficients, CostModel, graph_cost_of, model_of, whole_cost
from deployer.schedule import kernel_of


@dataclass(frozen=True, eq=False)
class Price:
    """Estimated cycles on ``board``, by its cost table."""

    board: Board

    @cached_property
    def model(self) -> CostModel:
        return model_of(self.board)

    def node(self, graph: Graph, node: Node) -> float:
        """Of ``node`` in one call."""
        kernel = select(self.board.kernels, graph, node)
        whole = whole_cost(graph, node, self.model(graph, node))
        return whole + self._fetching(graph, node, kernel)

    def cut(self, graph: Graph, node: Node) -> Coefficients:
        """As the cost model has it, by the kernel that takes weights in the IR's order."""
        return self.model(graph, self._as_cut(graph, node))

    def graph(self, graph: Graph) -> float:
        """Of all steps, regions call by call, by the kernels that they really get."""
        nodes = tuple(self._in_place(graph, node) for node in graph.nodes)
        found = replace(graph, nodes=nodes)
        fetched = sum(self._fetching(found, n, by_symbol(n.kernel)) for n in nodes if n.kernel)
        return graph_cost_of(found, self.model) + fetched

    def _as_cut(self, graph: Graph, node: Node) -> Node:
        if not node.inputs[1:]:
            return node
        return replace(
            node, kernel=select(self.board.kernels, graph, node, plain_weights=True).symbol
        )

    def _in_place(self, graph: Graph, node: Node) -> Node:
        """``node`` with its kernel named."""
        if node.op == "Reshape":
            return node
        return replace(node, kernel=kernel_of(self.board.kernels, graph, node)[0])

    def _fetching(self, graph: Graph, node: Node, kernel: Kernel) -> float:
        """Of weights that the data cache misses: a pass for every block of outputs."""
        timing = self.board.timing
        if timing is None or not any(name in graph.constants for name in node.inputs[1:2]):
            return 0.0
        size = stored_bytes(graph, node, kernel)
        times = passes(kernel, case_of(graph, node))
        return lines_missed(size, times, timing.data_cache) * timing.costs.data_miss
