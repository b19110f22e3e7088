"""The cycle model of a board: its counted instructions per term, times its cycles for one."""

from __future__ import annotations

from collections.abc import Container, Mapping, Sequence

from deployer.board import Board, BoardCost, Weights
from deployer.ir import OPS, Graph, Node
from deployer.kernelset import Kernel, select
from deployer.restructure.cost import Coefficients, CostModel, Thin, estimated_cycles
from deployer.restructure.terms import channels_of, of_kernel, terms_of

Counts = Mapping[str, float]
_SAME_LOOPS = "dpl_depthwise_conv2d_s8__armv7em"  # with those of int16


def model_of(board: Board) -> CostModel:
    """Estimated cycles on ``board``; where it states no cost, the same estimate for every board."""
    if board.cost is None:
        return estimated_cycles
    return counted_model(board.cost, board.kernels, board.cores)


def counted_model(cost: BoardCost, families: Sequence[str], cores: int) -> CostModel:
    """The model of kernels from ``families`` on so many cores.

    A kernel that the table lacks costs what its twin of int8 does, else the general estimate.
    """

    def model(graph: Graph, node: Node) -> Coefficients:
        if OPS[node.op].alias:
            return Coefficients(0.0, 0.0, 0.0)
        kernel = select(families, graph, node)
        weights = _weights(cost, kernel.symbol)
        if weights is None:
            return estimated_cycles(graph, node)
        return _coefficients(graph, node, cost, kernel, cores, weights)

    return model


def known_kernels(cost: BoardCost) -> Container[str]:
    """Kernels that the table tells of, and their twins of int16 that run the same loops."""
    told = cost.table.kernels.keys()
    twins = (symbol for symbol in told if symbol.startswith(_SAME_LOOPS))
    return {*told, *(symbol.replace("_s8__", "_s16__") for symbol in twins)}


def _weights(cost: BoardCost, symbol: str) -> Weights | None:
    return cost.table.kernels.get(symbol) or cost.table.kernels.get(symbol.replace("_s16", "_s8"))


def _coefficients(
    graph: Graph, node: Node, cost: BoardCost, kernel: Kernel, cores: int, weights: Weights
) -> Coefficients:
    terms, region = of_kernel(terms_of(graph, node), kernel), cost.table.region
    each, reads = cost.cycles_each(kernel.symbol), len(graph.activations(node))
    call = (
        weights.get("call", 0)
        + _sum(terms.once, weights)
        + region.get("call", 0)
        + reads * region.get("read", 0)
    )
    thin = None
    if cores > 1:
        part = of_kernel(terms_of(graph, node, -(-channels_of(graph, node) // cores)), kernel)
        thin = Thin(cores, each * _sum(part.pixel, weights), each * _sum(part.row, weights))
    return Coefficients(
        pixel=each * _sum(terms.pixel, weights),
        row=each * _sum(terms.row, weights),
        call=each * call,
        hop=cost.cpi * region.get("hop", 0),
        thin=thin,
        row_block=kernel.row_block,
    )


def _sum(counts: Counts, weights: Weights) -> float:
    return sum(count * weights.get(term, 0.0) for term, count in counts.items())
