"""Kernels that may take each other's place for less code, and what they cost."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

from deployer.analysis import step_nodes
from deployer.choices import Objective
from deployer.ir import Graph, Node
from deployer.kernelset import Kernel, by_symbol, case_of
from deployer.plan.kernels import stored_bytes
from deployer.plan.price import Price
from deployer.plan.request import PlanRequest
from deployer.schedule import able_kernels

Offers = dict[str, dict[str, float]]


def code_offers(
    graph: Graph, own: Mapping[str, str], request: PlanRequest, *, lean: bool
) -> Offers:
    """Estimated cycles of every node in ``own``, which names its kernel, by kernel. A kernel that
    nothing estimates is no offer but to nodes that have it; nor, if ``lean``, one of more scratch.
    None takes fewer than the node's own: that was chosen by what tells more of the two.
    """
    price = Price(request.board)
    found: Offers = {}
    for node in step_nodes(graph):
        if node.name in own:
            kernels = _offered(graph, node, by_symbol(own[node.name]), request, lean=lean)
            cycles = {each.symbol: _cycles(graph, node, each, price) for each in kernels}
            least = cycles[own[node.name]]
            found[node.name] = {symbol: max(each, least) for symbol, each in cycles.items()}
    return found


def _offered(
    graph: Graph, node: Node, own: Kernel, request: PlanRequest, *, lean: bool
) -> Iterator[Kernel]:
    case = case_of(graph, node)
    most = own.scratch(case) if lean else float("inf")
    yield own
    for kernel in able_kernels(request.target.kernels, graph, node):
        other = kernel.symbol != own.symbol and not kernel.opt_in
        stored = _may_be_stored(graph, node, kernel, own, request)
        if other and stored and _is_estimated(kernel, request) and kernel.scratch(case) <= most:
            yield kernel


def _is_estimated(kernel: Kernel, request: PlanRequest) -> bool:
    """By a formula, or by the cost table, of it or of its twin of int8."""
    assert request.board.cost is not None
    known = request.board.cost.table.kernels
    return kernel.formula is not None or kernel.symbol.replace("_s16", "_s8") in known


def _may_be_stored(
    graph: Graph, node: Node, kernel: Kernel, own: Kernel, request: PlanRequest
) -> bool:
    """Where flash is limited: in no more bytes."""
    limits = request.limits
    limited = limits.flash is not None or limits.optimize == Objective.FLASH
    if not limited or not node.inputs[1:]:
        return True
    return stored_bytes(graph, node, kernel) <= stored_bytes(graph, node, own)


def _cycles(graph: Graph, node: Node, kernel: Kernel, price: Price) -> float:
    if kernel.formula is not None:
        return kernel.formula(case_of(graph, node))
    return price.node(graph, replace(node, kernel=kernel.symbol))
