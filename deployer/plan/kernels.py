"""Kernels by the board's cost table, as far as its memories hold what they take."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from deployer.analysis import constant_reserve
from deployer.board import Board, BoardCost
from deployer.choices import KernelPolicy, Objective
from deployer.ir import Graph, Node
from deployer.kernelset import Kernel, by_symbol, case_of, weight_bytes
from deployer.plan.aliases import aliased, arena_in_one_memory
from deployer.plan.flash import with_least_constants, within
from deployer.plan.request import PlanRequest
from deployer.plan.room import fits_with_prefetch
from deployer.restructure import (
    Prices,
    choose,
    known_kernels,
    model_of,
    whole_cost,
    with_kernels,
)


def fastest(graph: Graph, request: PlanRequest) -> Graph:
    """``graph`` with the fastest kernels by the board's table, in flash that is left.

    The first kernels of the board's list stay where the request asks for them or for the least RAM,
    where the board states no cost, and where an arena that fits would no longer. For the least
    flash the table decides nothing.
    """
    plain, cost, limits = with_kernels(graph, {}), request.board.cost, request.limits
    if limits.optimize == Objective.FLASH and limits.choose != KernelPolicy.FIRST:
        return with_least_constants(plain, request.target.kernels)
    if cost is None or limits.choose == KernelPolicy.FIRST or limits.optimize == Objective.RAM:
        return plain
    found = choose(plain, request.target.kernels, _prices(request.board, cost, plain))
    if limits.flash is not None:
        found = within(found, request.target.kernels, limits.flash, kernel_cost(request.board))
    if not _named(found) or not fits_limits(plain, request):
        return plain
    while _named(found) and not fits_limits(found, request):
        found = _without(found, max(_named(found), key=lambda node: _scratch(found, node)))
    return found


def _named(graph: Graph) -> list[Node]:
    return [node for node in graph.nodes if node.kernel]


def _prices(board: Board, cost: BoardCost, graph: Graph) -> Prices:
    flash = board.place.weights
    return Prices(
        model=model_of(board),
        known=known_kernels(cost).__contains__,
        constant=_byte(board),
        stored=stored_bytes,
        room=board.memory(flash).size - constant_reserve(graph, board)[flash],
    )


def _byte(board: Board) -> float:
    """Cycles for a byte that comes from flash through the cache once."""
    timing = board.timing
    return timing.costs.data_miss / timing.data_cache.line if timing else 0.0


def kernel_cost(board: Board) -> Callable[[Graph, Node], float]:
    """Estimated cycles of a node with its kernel, those of its weights from flash left out."""
    model = model_of(board)
    return lambda graph, node: whole_cost(graph, node, model(graph, node))


def stored_bytes(graph: Graph, node: Node, kernel: Kernel) -> int:
    """Bytes of the weights of ``node`` in the order that ``kernel`` wants."""
    if not kernel.weight_layout:
        return sum(graph.constants[n].nbytes for n in node.inputs[1:2] if n in graph.constants)
    weights = graph.constants[node.inputs[1]]
    return weight_bytes(kernel, weights, case_of(graph, node))


def fits_limits(graph: Graph, request: PlanRequest) -> bool:
    """The board's memories, and what the user grants."""
    found, ram = aliased(graph, request), request.limits.ram
    return fits_with_prefetch(found, request) and (ram is None or arena_in_one_memory(found) <= ram)


def _without(graph: Graph, node: Node) -> Graph:
    nodes = (replace(n, kernel="", stored=0) if n is node else n for n in graph.nodes)
    return replace(graph, nodes=tuple(nodes))


def _scratch(graph: Graph, node: Node) -> int:
    return by_symbol(node.kernel).scratch(case_of(graph, node))
